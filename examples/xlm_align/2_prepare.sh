#!/usr/bin/env bash
# Text to data-bin: one sentencepiece model over all languages, bitext, with links where there are some, and
# monolingual text: TEXT/mono/LANG.txt, or without that folder the sides of the bitext.
#
#   bash 2_prepare.sh TEXT DATA_BIN PAIR [PAIR ...]
#
# VOCAB (default 8000) pieces; WORKERS (default 2) processes. To start from XLM-R, pass its model and dictionary
# instead: SPM=sentencepiece.bpe.model DICT=dict.txt bash 2_prepare.sh ..., or the folder or checkpoint of any other
# model: TOKENIZER=TEXT/mbert.pt bash 2_prepare.sh ...
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common/recipe.sh"
[[ $# -ge 3 ]] || usage
text="$1" data="$2"
shift 2
choose_vocabulary 8000
[[ ! -e "$data" ]] || { echo "$data is there already"; exit 0; }
options=() languages=()
for pair in "$@"; do
  src="${pair%-*}" tgt="${pair#*-}"
  here="$text/$pair"
  options+=(--pair "$pair" --trainpref "$here/train" --validpref "$here/valid")
  [[ ! -e "$here/test.$src" ]] || options+=(--testpref "$here/test")
  for links in train.links valid.links test.gold; do
    [[ ! -e "$here/$links" ]] || options+=(--links "$here/$links")
  done
  languages+=("$src=$here/train.$src" "$tgt=$here/train.$tgt")
done
if [[ -d "$text/mono" ]]; then
  for file in "$text"/mono/*.txt; do
    options+=(--mono "$(basename "$file" .txt)=$file")
  done
else
  for given in "${languages[@]}"; do
    options+=(--mono "$given")
  done
fi
xalign prepare --out "$data" "${options[@]}" "${vocabulary[@]}" --workers "${WORKERS:-2}"
