#!/usr/bin/env bash
# Train one setting on a data-bin; running it again resumes, a finished run is left as it is.
#
#   bash 3_train.sh DATA_BIN SAVE_DIR SETTING [fairseq-train option ...]
#
# Settings, from scratch on a CPU (3 layers of 128):
#   links      MLM + TLM + DWA; labels from prepared links until update LINKS_UNTIL, then from the pointer itself
#   scratch    the paper's order of things: MLM + TLM until update COLD, then DWA on labels by hidden states
#   tlm        MLM + TLM alone
#   base       continue XLM-R base (INIT=xlmr.base/model.pt) with Table 11's hyper-parameters, for GPUs
# UPDATES (default 6000; base 150000), LINKS_UNTIL (4500), COLD (3000), SEED (1), MAX_TOKENS (4096); of
# base BATCH (32) pairs and blocks on each GPU, UPDATE_FREQ (8), DEVICE (--fp16).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common/recipe.sh"
[[ $# -ge 3 ]] || { sed -n '2,13p' "$0" >&2; exit 2; }
data="$1" save="$2" setting="$3"
shift 3
device=--cpu
if [[ "$setting" == base ]]; then
  : "${UPDATES:=150000}"
  device="${DEVICE:---fp16}"
  require_file "INIT, the checkpoint to start from (xlmr.base/model.pt)" "${INIT:-}"
fi
: "${SEED:=1}" "${UPDATES:=6000}"

common=(
  "$data" --user-dir "$(xalign user-dir)" --task xalign_pretraining --criterion xlm_align
  --optimizer adam --adam-betas '(0.9, 0.98)' --adam-eps 1e-6 --weight-decay 0.01 --clip-norm 1.0
  --lr-scheduler polynomial_decay --no-epoch-checkpoints --log-format simple --seed "$SEED"
  --tensorboard-logdir "$save/tensorboard" --save-dir "$save" --log-file "$save/train.log"
)
mkdir -p "$save"
record_run "$save" "$setting" "$SEED" "$device" "UPDATES LINKS_UNTIL COLD SEED MAX_TOKENS BATCH UPDATE_FREQ" \
  3_train.sh DATA_BIN SAVE_DIR "$setting" "$@"
tiny=(
  --arch xalign_tiny --max-positions 256 --max-tokens "${MAX_TOKENS:-4096}" --mono-tokens-per-sample 128
  --mono-max-tokens 1024 --lr 2e-3 --warmup-updates 200 --total-num-update "$UPDATES" --max-update "$UPDATES"
  --loss-normalization per-objective --validate-interval-updates 500 --save-interval-updates 500
  --keep-interval-updates 1 --best-checkpoint-metric aer --log-interval 100 --num-workers 1 "$device"
)
pointer=(--dwa-layer 2 --dwa-label-by pointer --dwa-queries all-aligned --aer-similarity pointer --aer-filter argmax)
if finished "$save" "$UPDATES"; then exit; fi
case "$setting" in
  links) fairseq-train "${common[@]}" "${tiny[@]}" "${pointer[@]}" --dwa-links-until "${LINKS_UNTIL:-4500}" "$@" ;;
  scratch) fairseq-train "${common[@]}" "${tiny[@]}" --dwa-start-update "${COLD:-3000}" --aer-filter argmax "$@" ;;
  tlm) fairseq-train "${common[@]}" "${tiny[@]}" --objectives mlm,tlm --aer-filter argmax "$@" ;;
  base)
    # 2048 pairs an update in all: 8 GPUs x 32 pairs (BATCH) x 8 accumulation steps (UPDATE_FREQ).
    choose_launcher
    "${train[@]}" "${common[@]}" --arch xalign_base --init-checkpoint "$INIT" "$device" \
      --lr 2e-4 --warmup-updates 10000 --total-num-update "$UPDATES" --max-update "$UPDATES" \
      --batch-size "${BATCH:-32}" --mono-batch-size "${BATCH:-32}" --mono-tokens-per-sample 512 \
      --update-freq "${UPDATE_FREQ:-8}" \
      --dwa-label-layer 10 --dwa-mu 1.0 --dwa-sinkhorn-iterations 2 --dwa-filter-rounds 2 --dwa-filter-alpha 0.9 \
      --save-interval-updates 10000 --log-interval 100 "$@"
    ;;
  *) echo "error: unknown setting $setting; expected links, scratch, tlm or base" >&2; exit 2 ;;
esac
