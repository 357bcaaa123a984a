#!/usr/bin/env bash
# Text to data-bin: one sentencepiece model over all languages, bitext with links, monolingual text (the bitext's sides).
#
#   bash 2_prepare.sh TEXT DATA_BIN PAIR [PAIR ...]
#
# VOCAB (default 8000) pieces; WORKERS (default 2) processes. To start from XLM-R, pass its model and dictionary instead:
# SPM=sentencepiece.bpe.model DICT=dict.txt bash 2_prepare.sh ..., or the folder or checkpoint of any other model:
# TOKENIZER=bert-base-multilingual-cased bash 2_prepare.sh ...
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common/recipe.sh"
[[ $# -ge 3 ]] || { sed -n '2,8p' "$0" >&2; exit 2; }
text="$1" data="$2"
shift 2
choose_vocabulary 8000
[[ ! -e "$data" ]] || { echo "$data is there already"; exit 0; }
options=()
for pair in "$@"; do
  src="${pair%-*}" tgt="${pair#*-}"
  here="$text/$pair"
  options+=(--pair "$pair" --trainpref "$here/train" --validpref "$here/valid" --testpref "$here/test")
  options+=(--links "$here/train.links" --links "$here/valid.links" --links "$here/test.gold")
  options+=(--mono "$src=$here/train.$src" --mono "$tgt=$here/train.$tgt")
done
xalign prepare --destdir "$data" "${options[@]}" "${vocabulary[@]}" --workers "${WORKERS:-2}"
