#!/usr/bin/env bash
# The main job on the embedded sample, in a few minutes on two cores: bitext, tokenizer, data-bin, training, links, AER.
# Makes and fills .venv where no environment is active. Everything it writes is in demo-output, made anew each time,
# or in the new folder given.
#
#   bash scripts/demo.sh [FOLDER]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/install.sh user

out="${1:-demo-output}"
if [[ $# -gt 0 && -e "$out" ]]; then
  echo "error: $out exists already; name a new folder" >&2
  exit 2
fi
pairs=(en-de en-fr) # en-de comes with word links for the cold start, en-fr without any
cold=300            # updates of the cold start: MLM, TLM, and DWA on the given links of en-de
updates=1000        # all updates: after the cold start the model labels word links of both pairs by itself
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}" # so small a model is faster on one thread, and far faster if the machine is busy

step() { printf '\n== %s\n' "$*"; }

[[ $# -gt 0 ]] || rm -rf demo-output
mkdir -p "$out"

step "Sample bitext with gold word links"
xalign sample "$out/text" --pairs 20000 --seed 1 --valid 200 --test 200
paste -d '\n' <(head -n 2 "$out/text/en-de/train.en") <(head -n 2 "$out/text/en-de/train.de")

step "Sentencepiece model and mmap data-bin"
prepare=(--destdir "$out/data-bin" --vocab-size 2000 --workers 2 --mono "en=$out/text/mono/train.en")
for pair in "${pairs[@]}"; do
  prepare+=(--pair "$pair")
  for split in train valid test; do
    prepare+=("--${split}pref" "$out/text/$pair/$split")
  done
  prepare+=(--links "$out/text/$pair/valid.gold")
  [[ "$pair" == en-fr ]] || prepare+=(--links "$out/text/$pair/train.gold")
  prepare+=(--mono "${pair#*-}=$out/text/mono/train.${pair#*-}")
done
xalign prepare "${prepare[@]}"

train() { # NAME UPDATES OPTION...
  fairseq-train "$out/data-bin" --user-dir "$(xalign user-dir)" --cpu \
    --task xalign_pretraining --criterion xlm_align --arch xalign_tiny --max-positions 128 \
    --mono-tokens-per-sample 64 --mono-max-tokens 256 --max-tokens 2048 \
    --optimizer adam --adam-betas '(0.9, 0.98)' --clip-norm 1.0 \
    --lr-scheduler polynomial_decay --warmup-updates 100 --total-num-update "$updates" \
    --max-update "$2" --seed 1 --num-workers 0 --log-format simple --log-interval 50 \
    --validate-interval-updates 100 --best-checkpoint-metric aer --no-epoch-checkpoints --keep-interval-updates 1 \
    --loss-normalization per-objective --dwa-label-by pointer --dwa-filter argmax --dwa-queries all-aligned \
    --dwa-layer 2 --aer-similarity pointer --aer-filter argmax --save-dir "$out/$1" --log-file "$out/$1.log" "${@:3}"
}

run() { # LOG COMMAND...: shows validation and errors as they come, and the end of the log if the command fails
  if ! "${@:2}" 2>&1 | tee "$1" | { grep --line-buffered -E ' \| valid \||Error' || true; }; then
    tail -n 30 "$1" >&2
    return 1
  fi
}

links() { # NAME: aligns the held-out pairs with a training's last checkpoint and scores the links
  local pair
  for pair in "${pairs[@]}"; do
    local test="$out/text/$pair/test" hyp="$out/$1.$pair.links"
    xalign align --quiet --checkpoint "$out/$1/checkpoint_last.pt" --similarity pointer --filter argmax \
      --src "$test.en" --tgt "$test.${pair#*-}" --out "$hyp"
    printf '%s: ' "$pair"
    xalign score --hyp "$hyp" --gold "$test.gold"
  done
}

step "Before training: a single update, at a learning rate of 0"
run "$out/untrained.out" train untrained 1 --lr 0 --disable-validation
links untrained

step "Training: a cold start of $cold updates with links of en-de, then on the model's own links to update $updates"
run "$out/trained.out" train trained "$updates" --lr 0.002 --dwa-links-until "$cold"

step "After training"
links trained

step "Picture of the links of one held-out pair: $out/links.png"
pair="${pairs[0]}"
xalign align --quiet --checkpoint "$out/trained/checkpoint_last.pt" --similarity pointer --filter argmax \
  --out /dev/null --plot "$out/links.png" \
  --src "$out/text/$pair/test.en" --tgt "$out/text/$pair/test.${pair#*-}" --gold "$out/text/$pair/test.gold"
ls -l "$out/links.png"
