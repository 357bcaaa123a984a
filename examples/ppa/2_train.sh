#!/usr/bin/env bash
# Post-pretraining alignment; running it again resumes, a finished run is left as it is.
#
#   INIT=xlmr.base/model.pt bash 2_train.sh DATA_BIN SAVE_DIR SETTING [fairseq-train option ...]
#
# Settings (Pan et al. 2021), with the paper's hyper-parameters; INIT is the checkpoint to start from:
#   ppa        MoCo + TLM          (Eq. 4)
#   tlm        without MoCo        (Table 5)
#   moco       without TLM         (Table 5)
#   ppa_mlm    MoCo + MLM on each sentence, in place of TLM   (Table 5)
#   ppa_mean   MoCo on the mean of the tokens, + TLM          (footnote 1)
# UPDATES (136719: 10 of the paper's epochs over 7 x 250000 pairs), WARMUP (a tenth of them), BATCH (128) pairs on
# each GPU and UPDATE_FREQ (1); the paper has 128 in all: BATCH=$((128 / N)) on N GPUs. SEED (1), ARCH (xalign_base).
# DEVICE (--fp16; without a GPU --cpu).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common/recipe.sh"
[[ $# -ge 3 ]] || { sed -n '2,14p' "$0" >&2; exit 2; }
require_file "INIT, the checkpoint to start from (xlmr.base/model.pt)" "${INIT:-}"
data="$1" save="$2" setting="$3"
shift 3
: "${UPDATES:=136719}" "${SEED:=1}" "${DEVICE:=--fp16}"
: "${WARMUP:=$((UPDATES / 10))}"
case "$setting" in
  ppa) options=(--objectives moco,tlm) ;;
  tlm) options=(--objectives tlm) ;;
  moco) options=(--objectives moco) ;;
  ppa_mlm) options=(--objectives moco,sentence_mlm) ;;
  ppa_mean) options=(--objectives moco,tlm --moco-pooling mean) ;;
  *) echo "error: unknown setting $setting; expected ppa, tlm, moco, ppa_mlm or ppa_mean" >&2; exit 2 ;;
esac

mkdir -p "$save"
record_run "$save" "$setting" "$SEED" "$DEVICE" "UPDATES WARMUP BATCH UPDATE_FREQ SEED ARCH DEVICE" \
  2_train.sh DATA_BIN SAVE_DIR "$setting" "$@"
if finished "$save" "$UPDATES"; then exit; fi
read -r -a device <<< "$DEVICE"
choose_launcher
"${train[@]}" "$data" --user-dir "$(xalign user-dir)" --task xalign_pretraining \
  --min-sentence-length 10 --max-pair-length 128 --mask-prob 0.15 \
  --arch "${ARCH:-xalign_base}" --init-checkpoint "$INIT" --dropout 0.1 --attention-dropout 0.1 \
  --criterion ppa --loss-normalization per-objective \
  --moco-projection-dim 300 --moco-temperature 0.05 --moco-queue-size 32000 --moco-momentum 0.999 \
  --optimizer adam --adam-betas '(0.9, 0.999)' --weight-decay 0.01 --clip-norm 1.0 \
  --lr 3e-5 --lr-scheduler polynomial_decay --warmup-updates "$WARMUP" --total-num-update "$UPDATES" \
  --max-update "$UPDATES" --batch-size "${BATCH:-128}" --update-freq "${UPDATE_FREQ:-1}" --seed "$SEED" \
  --no-epoch-checkpoints --save-interval-updates 5000 --keep-interval-updates 1 --log-format simple --log-interval 100 \
  --save-dir "$save" --log-file "$save/train.log" --tensorboard-logdir "$save/tensorboard" \
  "${options[@]}" "${device[@]}" "$@"
