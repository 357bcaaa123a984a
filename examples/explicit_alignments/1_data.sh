#!/usr/bin/env bash
# Word links of tokenised bitext as Wu & Dredze (2020) make them, and the data-bin.
#
#   bash 1_data.sh TEXT DATA_BIN PAIR [PAIR ...]
#
# TEXT/PAIR/train.{LANG,LANG}: tokenised text, words between blanks; TEXT/PAIR/valid.{LANG,LANG[,links]}: held-out
# pairs, as 0_download.sh writes them (../transfer/small/1_data.sh with links). Links come from fast_align where it is on PATH, else from eflomal;
# ENGINE names one. VOCAB (default 16000) pieces, WORKERS (default 2) processes. To start from XLM-R, pass its model and
# dictionary: SPM=sentencepiece.bpe.model DICT=dict.txt bash 1_data.sh ..., from mBERT or any other model that folder or
# checkpoint: TOKENIZER=bert-base-multilingual-cased bash 1_data.sh ...
# Writes TEXT/PAIR/linked.{LANG,LANG,links,links.json}. What is there already is left as it is.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common/recipe.sh"
[[ $# -ge 3 ]] || { sed -n '2,11p' "$0" >&2; exit 2; }
text="$1" data="$2"
shift 2
choose_vocabulary 16000
choose_engine

options=()
for pair in "$@"; do
  src="${pair%-*}" tgt="${pair#*-}" prefix="$text/$pair"
  if [[ ! -e "$prefix/linked.links.json" ]]; then # it is written last
    xalign links --src "$prefix/train.$src" --tgt "$prefix/train.$tgt" --out "$prefix/linked" --engine "$engine" \
      --symmetrize grow-diag-final-and --filters wu-dredze --overwrite
  fi
  options+=(--pair "$pair" --trainpref "$prefix/linked" --validpref "$prefix/valid")
  options+=(--links "$prefix/linked.links")
  [[ ! -e "$prefix/valid.links" ]] || options+=(--links "$prefix/valid.links")
done

[[ ! -e "$data" ]] || { echo "$data is there already"; exit 0; }
xalign prepare --out "$data" "${options[@]}" "${vocabulary[@]}" --workers "${WORKERS:-2}"
