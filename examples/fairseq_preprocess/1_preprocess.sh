#!/usr/bin/env bash
# Make a data-bin with fairseq's own tools: spm_encode and fairseq-preprocess, with links by --align-suffix.
#
#   bash 1_preprocess.sh TEXT DATA_BIN PAIR
#
# TEXT/PAIR/{train,valid}.LANG: one sentence per line. VOCAB (8000): pieces of a new sentencepiece model. SPM: use this
# model instead. ENGINE links the encoded text, token by token (default: fast_align if it is on PATH, otherwise
# eflomal). WORKERS (2).
# Writes TEXT/PAIR/{train,valid}.spm.LANG, .links, and DATA_BIN with sentencepiece.model. Existing files are kept.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
[[ $# -eq 3 ]] || usage
text="$1/$3" data="$2" src="${3%-*}" tgt="${3#*-}"
as_paths text data SPM
[[ ! -e "$data" ]] || { echo "$data already exists"; exit 0; }
choose_engine
model="${SPM:-$text/sentencepiece.model}"
[[ -e "$model" ]] || python "$here/encode.py" train "${model%.model}" "${VOCAB:-8000}" "$text/train.$src" "$text/train.$tgt"
for split in train valid; do
  for lang in "$src" "$tgt"; do
    python "$here/encode.py" encode "$model" "$text/$split.$lang" "$text/$split.spm.$lang"
  done
done
mkdir -p "$text/encoded"
for split in train valid; do
  for lang in "$src" "$tgt"; do
    cp "$text/$split.spm.$lang" "$text/encoded/$split.$lang"
  done
done
link_splits "$text/encoded" "$src" "$tgt"
for split in train valid; do
  cp "$text/encoded/$split.symmetrized.links" "$text/$split.spm.links"
done
rm -rf "$data.part"
fairseq-preprocess --source-lang "$src" --target-lang "$tgt" --joined-dictionary --trainpref "$text/train.spm" \
  --validpref "$text/valid.spm" --align-suffix links --destdir "$data.part" --workers "${WORKERS:-2}"
cp "$model" "$data.part/sentencepiece.model"
mv "$data.part" "$data"
