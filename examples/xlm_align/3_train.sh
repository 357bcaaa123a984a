#!/usr/bin/env bash
# Continue XLM-R base with the hyper-parameters of the paper's Table 11, on GPUs; running it again resumes, a finished
# run is left as it is. (Small encoders from scratch, on a CPU: small/3_train.sh.)
#
#   INIT=xlmr.base/model.pt bash 3_train.sh DATA_BIN SAVE_DIR base [fairseq-train option ...]
#
# UPDATES (150000), SEED (1), BATCH (32) pairs and blocks on each GPU, UPDATE_FREQ (8), DEVICE (--fp16): 2048 pairs an
# update in all, 8 GPUs x BATCH x UPDATE_FREQ.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common/recipe.sh"
[[ $# -ge 3 ]] || { sed -n '2,8p' "$0" >&2; exit 2; }
data="$1" save="$2" setting="$3"
shift 3
[[ "$setting" == base ]] || { echo "error: unknown setting $setting; expected base" >&2; exit 2; }
: "${SEED:=1}" "${UPDATES:=150000}" "${DEVICE:=--fp16}"
require_file "INIT, the checkpoint to start from (xlmr.base/model.pt)" "${INIT:-}"
mkdir -p "$save"
record_run "$save" "$setting" "$SEED" "$DEVICE" "UPDATES SEED BATCH UPDATE_FREQ DEVICE" \
  3_train.sh DATA_BIN SAVE_DIR "$setting" "$@"
if finished "$save" "$UPDATES"; then exit; fi
read -r -a device <<< "$DEVICE"
choose_launcher
"${train[@]}" "$data" --user-dir "$(xalign user-dir)" --task xalign_pretraining --criterion xlm_align \
  --arch xalign_base --init-checkpoint "$INIT" "${device[@]}" \
  --optimizer adam --adam-betas '(0.9, 0.98)' --adam-eps 1e-6 --weight-decay 0.01 --clip-norm 1.0 \
  --lr-scheduler polynomial_decay --lr 2e-4 --warmup-updates 10000 --total-num-update "$UPDATES" \
  --max-update "$UPDATES" --batch-size "${BATCH:-32}" --mono-batch-size "${BATCH:-32}" --mono-tokens-per-sample 512 \
  --update-freq "${UPDATE_FREQ:-8}" \
  --dwa-label-layer 10 --dwa-mu 1.0 --dwa-sinkhorn-iterations 2 --dwa-filter-rounds 2 --dwa-filter-alpha 0.9 \
  --save-interval-updates 10000 --no-epoch-checkpoints --log-format simple --log-interval 100 --seed "$SEED" \
  --tensorboard-logdir "$save/tensorboard" --save-dir "$save" --log-file "$save/train.log" "$@"
