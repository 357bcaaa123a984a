#!/usr/bin/env bash
# The texts of WEAM (Yang et al. 2021) in words, and XLM-R base. Writes TEXT/PAIR/{train,valid}.LANG.
#
#   bash 0_download.sh TEXT [PAIR ...]          PAIR: de-en es-en (default: all)
#
# DRY=1 says what would be fetched and from where. SAMPLE=N fetches nothing and writes N made-up pairs of each of en-de,
# en-fr, en-ru (in either order), to try the next steps with. Started again it goes on where it was cut off. XLM-R base
# comes to TEXT/downloads/xlmr.base.
#
# For Chinese the paper has translation2019zh of https://github.com/brightmart/nlp_chinese_corpus: write its training
# and validation pairs, with words between blanks, to TEXT/zh-en/{train,valid}.{zh,en} by hand.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common/recipe.sh"
[[ $# -ge 1 ]] || usage
text="$1"
shift
[[ $# -gt 0 ]] || set -- de-en es-en
bitext=()
for pair in "$@"; do
  [[ "$pair" != *zh* ]] || { echo "error: $pair: write translation2019zh's pairs to TEXT/zh-en by hand" >&2; exit 2; }
  bitext+=("$pair=Europarl")
done
download "$text" "${bitext[@]}" --words --file xlmr.base
