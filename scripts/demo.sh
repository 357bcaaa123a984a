#!/usr/bin/env bash
# Aligns and trains on real text, in a few minutes on two cores: word links with e5-small; bitext to a data-bin with a
# trimmed vocabulary; self-training; a link scorer from gold links; links and their AER again, and a page of them.
# Creates .venv if no environment is active. Writes to demo-output (replaced each time), or to a new
# FOLDER. The text and its licences are in examples/demo.
#
#   bash scripts/demo.sh [FOLDER]
set -euo pipefail
[[ "${1:-}" != -* ]] || { echo "usage: bash scripts/demo.sh [FOLDER]" >&2; exit 2; }
out="${1:-demo-output}"
[[ $# -eq 0 || "$out" == /* ]] || out="$PWD/$out"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/install.sh user

if [[ $# -gt 0 && -e "$out" ]]; then
  echo "error: $out already exists; name a new folder" >&2
  exit 2
fi
gold=examples/demo/gold bitext=examples/demo/bitext
trained=(en-es en-fr)      # pairs with bitext
tested=(en-es en-fr en-pt) # pairs with gold links: Portuguese has no bitext
updates=200
learned=50 # first sentences with gold links, for training; the others are scored

step() { printf '\n== %s\n' "$*"; }

[[ $# -gt 0 ]] || rm -rf demo-output
mkdir -p "$out"

for part in train test; do
  mkdir "$out/$part"
  for file in "$gold"/*; do
    if [[ $part == train ]]; then sed -n "1,${learned}p" "$file"; else sed "1,${learned}d" "$file"; fi >"$out/$part/${file##*/}"
  done
done

links() { # NAME OPTION...: align the test sentences and score the links
  local pair
  for pair in "${tested[@]}"; do
    local text="$out/test/$pair" hyp="$out/$1.$pair.links"
    xalign align --quiet "${@:2}" --src "$text.en" --tgt "$text.${pair#*-}" --out "$hyp"
    printf '%s: ' "$pair"
    xalign score --hyp "$hyp" --gold "$text.gold" | sed -n 1p # head would close the pipe and make score fail
  done
}

# Not the default method: the packaged scorer was trained on these sentences' links.
step "Links of real sentences by e5-small as it is: AER of 50 pairs each"
links before --method grow

step "Data-bin of 6,000 pairs each, of the pieces that they need"
prepare=(--out "$out/data-bin" --tokenizer e5-small --trim-vocabulary --workers 2)
for pair in "${trained[@]}"; do
  prepare+=(--pair "$pair" --trainpref "$bitext/$pair")
done
xalign prepare "${prepare[@]}"

step "Training: $updates updates of 32 pairs by self-training on the links that it finds"
if ! fairseq-train "$out/data-bin" --user-dir "$(xalign user-dir)" --cpu --autocast auto \
  --task xalign_pretraining --criterion xlm_align --objectives self_training \
  --arch xalign_base --encoder-embed-dim 384 --encoder-ffn-embed-dim 1536 --layer-norm-eps 1e-12 \
  --init-checkpoint "$out/data-bin" --freeze-layers 0 \
  --self-training-layer 7 --self-training-method grow \
  --batch-size 32 --optimizer adam --clip-norm 1.0 --lr 2e-5 --lr-scheduler polynomial_decay --warmup-updates 50 \
  --total-num-update "$updates" --max-update "$updates" --seed 1 --num-workers 0 --disable-validation \
  --no-epoch-checkpoints --save-dir "$out/checkpoints" --log-format simple --log-interval 20 \
  --log-file "$out/train.log" \
  2>&1 | tee "$out/train.out" | { grep --line-buffered -E 'train_inner|Error' || true; }; then
  tail -n 30 "$out/train.out" >&2
  exit 1
fi

step "A link scorer from gold links of $learned other pairs each, on the trained encoder in the whole vocabulary"
xalign untrim --model "$out/checkpoints/checkpoint_last.pt" --original e5-small --out "$out/aligner.pt"
xalign train-aligner --model "$out/aligner.pt" --gold "$out"/train/*.gold --out "$out/scorer"
trained_options=(--model "$out/aligner.pt" --method scored --scorer "$out/scorer/scorer.npz")

step "Links by both"
links after "${trained_options[@]}"

step "A page of links, next to gold links: $out/links.html"
xalign align --quiet "${trained_options[@]}" --format html --src "$out/test/en-fr.en" --tgt "$out/test/en-fr.fr" \
  --gold "$out/test/en-fr.gold" --out "$out/links.html"
ls -l "$out/links.html"
