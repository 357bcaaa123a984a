#!/usr/bin/env bash
# Download the texts of PPA (Pan et al. 2021, section 3.1) and mBERT. Writes TEXT/PAIR/{train,valid}.LANG.
#
#   bash 0_download.sh TEXT [PAIR ...]          PAIR: en-fr en-es en-de en-bg en-ar en-zh en-hi (default: all)
#
# DRY=1 only lists downloads and addresses. SAMPLE=N downloads nothing and writes N synthetic pairs of de-en (or of the
# given pairs: en-de and en-fr, in either order), to try the next steps. Run again to resume. mBERT goes to TEXT/mbert.pt;
# MODEL=xlmr.base fetches XLM-R base instead, to TEXT/downloads/xlmr.base.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common/recipe.sh"
need 1 "$@"
text="$1"
as_paths text
shift
[[ $# -gt 0 || -z "${SAMPLE:-}" ]] || set -- de-en
[[ $# -gt 0 ]] || set -- en-fr en-es en-de en-bg en-ar en-zh en-hi
bitext=()
for pair in "$@"; do
  case "$pair" in
    *bg*) corpora=Europarl+EUbookshop ;;
    *ar* | *zh*) corpora=MultiUN ;;
    *hi*) corpora=IITB ;;
    *) corpora=Europarl ;;
  esac
  bitext+=("$pair=$corpora")
done
download_with_model "$text" "${bitext[@]}"
