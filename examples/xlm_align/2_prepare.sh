#!/usr/bin/env bash
# Text to data-bin: one sentencepiece model for all languages, bitext (with links if there are any), and
# monolingual text: TEXT/mono/LANG.txt, or the sides of the bitext if there is no such file.
#
#   bash 2_prepare.sh TEXT DATA_BIN PAIR [PAIR ...]
#
# VOCAB (default 8000) pieces; WORKERS (default 2) processes. SHARDS (1): writes DATA_BIN.0, DATA_BIN.1, ..., each with
# a part of the training text, one after another or in separate jobs (SHARD=17 writes only DATA_BIN.17). Shards need
# an existing vocabulary (SPM or TOKENIZER); give them to 3_train.sh as DATA_BIN.0:DATA_BIN.1:...
# To start from XLM-R: SPM=sentencepiece.bpe.model DICT=dict.txt bash 2_prepare.sh ...
# From another model's folder or checkpoint: TOKENIZER=TEXT/mbert.pt bash 2_prepare.sh ...
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common/recipe.sh"
need 3 "$@"
text="$1" data="$2"
as_paths text data
shift 2
choose_vocabulary 8000
shards="${SHARDS:-1}"
[[ "$shards" == 1 || -n "${SPM:-}${TOKENIZER:-}" ]] ||
  { echo "error: SHARDS: shards have one vocabulary; next: give SPM and DICT, or TOKENIZER" >&2; exit 2; }
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
shopt -s nullglob
files=("$text"/mono/*.txt) missing=""
for file in "${files[@]}"; do
  options+=(--mono "$(basename "$file" .txt)=$file")
done
for given in "${languages[@]}"; do
  lang="${given%%=*}"
  if [[ "${#files[@]}" == 0 ]]; then
    options+=(--mono "$given")
  elif [[ ! -e "$text/mono/$lang.txt" && "$missing " != *" $lang "* ]]; then
    missing+=" $lang"
  fi
done
[[ -z "$missing" ]] || echo "warning: there is no monolingual text in$missing: $text/mono/LANG.txt" >&2
for ((shard = ${SHARD:-0}; shard < ${SHARD:-$((shards - 1))} + 1; shard++)); do
  bin="$data" part=()
  [[ "$shards" == 1 ]] || { bin="$data.$shard"; part=(--shard "$shard/$shards" --resume); }
  [[ ! -e "$bin" ]] || { echo "$bin already exists"; continue; }
  xalign prepare --out "$bin" "${options[@]}" "${vocabulary[@]}" --workers "${WORKERS:-2}" "${part[@]}"
done
