#!/usr/bin/env bash
# Take the first pairs of each corpus, as in PPA (Pan et al. 2021), and write the data-bin. PPA needs no links.
#
#   bash 1_data.sh TEXT DATA_BIN PAIR [PAIR ...]
#
# TEXT/PAIR/{train,valid}.{LANG,LANG}: one sentence per line. PAIRS (default 250000; the paper also has 600000, 2000000)
# pairs of each language pair that are neither too short nor too long for the tokenizer of SPM or TOKENIZER, see
# first_pairs.py. VOCAB (default 16000) pieces of a new vocabulary, WORKERS (default 2) processes.
# To start from XLM-R: SPM=sentencepiece.bpe.model DICT=dict.txt bash 1_data.sh ...
# From mBERT or another model's folder or checkpoint: TOKENIZER=TEXT/mbert.pt bash 1_data.sh ...
# Writes TEXT/PAIR/first-PAIRS.{LANG,LANG}.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
need 3 "$@"
text="$1" data="$2" pairs="${PAIRS:-250000}"
as_paths text data
shift 2
choose_vocabulary 16000
[[ ! -e "$data" ]] || { echo "$data already exists"; exit 0; }

options=()
for pair in "$@"; do
  prefix="$text/$pair"
  python "$here/first_pairs.py" "$prefix" "${pair%-*}" "${pair#*-}" "$pairs" "${vocabulary[@]}"
  options+=(--pair "$pair" --trainpref "$prefix/first-$pairs" --validpref "$prefix/valid")
done
xalign prepare --out "$data" "${options[@]}" "${vocabulary[@]}" --workers "${WORKERS:-2}"
