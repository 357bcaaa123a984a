#!/usr/bin/env bash
# Download the texts of Wu & Dredze (2020), 1M tokenised pairs per language, and XLM-R base. Writes
# TEXT/PAIR/{train,valid}.LANG.
#
#   bash 0_download.sh TEXT [PAIR ...]          PAIR: ar-en de-en en-es en-fr en-hi en-ru en-vi en-zh (default: all)
#
# DRY=1 only lists downloads and addresses. SAMPLE=N downloads nothing and writes N synthetic pairs of de-en (or of the
# given pairs: en-de and en-fr, in either order), to try the next steps. Run again to resume. XLM-R base
# goes to TEXT/downloads/xlmr.base.
# PAIRS (1000000): pairs drawn per language. CORPUS: use this corpus of ../common/corpora.py for all pairs, for example
# OPUS-100 (Table 1b). Each Han character is a word; the paper uses Stanford's segmenter.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common/recipe.sh"
need 1 "$@"
text="$1"
as_paths text
shift
[[ $# -gt 0 || -z "${SAMPLE:-}" ]] || set -- de-en
[[ $# -gt 0 ]] || set -- ar-en de-en en-es en-fr en-hi en-ru en-vi en-zh
bitext=()
for pair in "$@"; do
  case "$pair" in
    *de*) corpora=EUbookshop ;;
    *hi*) corpora=IITB ;;
    *vi*) corpora=OpenSubtitles ;;
    *) corpora=MultiUN ;;
  esac
  bitext+=("$pair=${CORPUS:-$corpora}")
done
download "$text" "${bitext[@]}" --pairs "${PAIRS:-1000000}" --words --file xlmr.base
