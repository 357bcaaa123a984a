#!/usr/bin/env bash
# FreeDict's lexicons of English with German, French and Hindi, 15,000 entries of each, in a data-bin of
# ../../xlm_align/continued/prepare.sh; a tenth of the source words is held out.
#
#   bash prepare.sh DATA_BIN
#
# FREEDICT (default: that of ../shared/data) is the folder with eng-deu.tsv, eng-fra.tsv and eng-hin.tsv.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../../common/recipe.sh"
freedict="${FREEDICT:-$here/../../../../shared/data/dict/freedict}"
[[ $# -eq 1 ]] || usage
for languages in de:deu fr:fra hi:hin; do
  pair="en-${languages%:*}"
  [[ -e "$1/lexicon.$pair.json" ]] && continue
  drawn="$1/freedict.$pair.tsv"
  shuf --random-source=<(yes) -n 15000 "$freedict/eng-${languages#*:}.tsv" > "$drawn"
  xalign lexicon "$1" --pair "$pair" --from "$drawn" --held-out 0.1
  rm "$drawn"
done
