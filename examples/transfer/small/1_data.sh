#!/usr/bin/env bash
# Prepare the data-bin for the encoders of the transfer study: cased bitext with eflomal's links, one vocabulary.
#
#   bash 1_data.sh TEXT DATA_BIN [PAIR ...]          PAIR: de-en en-fr ro-en en-hi (default: all four)
#
# BENCHMARK (default ../shared/data) is the folder with assemble.py and bitext/. PAIRS (default 60000): maximum number
# of sentence pairs per PAIR. VOCAB (default 16000) pieces. Needs: pip install ".[recipes]". Existing files are kept.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
common="$here/../../common"
# shellcheck source=../../common/recipe.sh
source "$common/recipe.sh"
need 2 "$@"
choose_benchmark assemble.py
text="$1" data="$2"
as_paths text data
shift 2
[[ $# -gt 0 ]] || set -- de-en en-fr ro-en en-hi

make_pair() { # PAIR: writes $text/PAIR/{train,valid}.{LANG,LANG,links}
  local pair="$1" src="${1%-*}" tgt="${1#*-}"
  local work="$text/.$pair"
  rm -rf "$work"
  mkdir -p "$work"
  python "$benchmark/assemble.py" "$pair" "$work/raw"
  python "$here/sample_bitext.py" "$work/raw/train.$src" "$work/raw/train.$tgt" "${PAIRS:-60000}"
  for lang in "$src" "$tgt"; do
    python "$common/tokenize_bitext.py" "$lang" --cased < "$work/raw/train.$lang" > "$work/all.$lang"
  done
  xalign links --engine eflomal --src "$work/all.$src" --tgt "$work/all.$tgt" \
    --out "$work/all.links" --directions "$work/all"
  python "$common/split_bitext.py" "$work" "$src" "$tgt" --valid 500 --seed 1
  rm -rf "$work"/raw "$work"/all.*
  mv "$work" "$text/$pair"
}

for pair in "$@"; do
  [[ -e "$text/$pair" ]] || make_pair "$pair"
  echo "$pair: $(wc -l < "$text/$pair/train.${pair%-*}") training pairs"
done

[[ ! -e "$data" ]] || { echo "$data already exists"; exit 0; }
options=()
for pair in "$@"; do
  prefix="$text/$pair"
  options+=(--pair "$pair" --trainpref "$prefix/train" --validpref "$prefix/valid")
  options+=(--links "$prefix/train.links" --links "$prefix/valid.links")
  options+=(--mono "${pair%-*}=$prefix/train.${pair%-*}" --mono "${pair#*-}=$prefix/train.${pair#*-}")
done
xalign prepare --out "$data" "${options[@]}" --vocab-size "${VOCAB:-16000}" --workers "${WORKERS:-2}"
