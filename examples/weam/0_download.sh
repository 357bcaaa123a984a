#!/usr/bin/env bash
# Download the tokenised texts of WEAM (Yang et al. 2021) and mBERT. Writes TEXT/PAIR/{train,valid}.LANG.
#
#   bash 0_download.sh TEXT [PAIR ...]          PAIR: de-en es-en zh-en (default: all)
#
# DRY=1 only lists downloads and addresses. SAMPLE=N downloads nothing and writes N synthetic pairs of de-en (or of the
# given pairs: en-de and en-fr, in either order), to try the next steps. Run again to resume. mBERT
# goes to TEXT/mbert.pt; MODEL=xlmr.base fetches XLM-R base instead, to TEXT/downloads/xlmr.base.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common/recipe.sh"
need 1 "$@"
text="$1"
as_paths text
shift
[[ $# -gt 0 || -z "${SAMPLE:-}" ]] || set -- de-en
[[ $# -gt 0 ]] || set -- de-en es-en zh-en
bitext=()
for pair in "$@"; do
  bitext+=("$pair=$([[ "$pair" == *zh* ]] && echo translation2019zh || echo Europarl)")
done
download_with_model "$text" "${bitext[@]}" --words
