#!/usr/bin/env bash
# Link the words of tokenised bitext for WEAM (Yang et al. 2021), and write the data-bin.
#
#   bash 1_data.sh TEXT DATA_BIN PAIR [PAIR ...]
#
# TEXT/PAIR/{train,valid}.{LANG,LANG}: tokenised text, words separated by spaces, as 0_download.sh writes it. ENGINE
# links both splits (default: fast_align if it is on PATH, otherwise eflomal). VOCAB (default 16000) pieces, WORKERS
# (default 2) processes.
# To start from XLM-R: SPM=sentencepiece.bpe.model DICT=dict.txt bash 1_data.sh ...
# To start from mBERT or another model's folder or checkpoint: TOKENIZER=TEXT/mbert.pt bash 1_data.sh ...
# Writes TEXT/PAIR/{train,valid}.symmetrized.links and TEXT/PAIR/symmetrized.json. Existing files are kept.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common/recipe.sh"
need 3 "$@"
text="$1" data="$2"
as_paths text data
shift 2
choose_vocabulary 16000
choose_engine

options=()
for pair in "$@"; do
  src="${pair%-*}" tgt="${pair#*-}" prefix="$text/$pair"
  link_splits "$prefix" "$src" "$tgt"
  options+=(--pair "$pair" --trainpref "$prefix/train" --validpref "$prefix/valid")
  options+=(--links "$prefix/train.symmetrized.links" --links "$prefix/valid.symmetrized.links")
done

[[ ! -e "$data" ]] || { echo "$data already exists"; exit 0; }
xalign prepare --out "$data" "${options[@]}" "${vocabulary[@]}" --workers "${WORKERS:-2}"
