#!/usr/bin/env bash
# Train one setting from scratch on a CPU, 3 layers of 128; running it again resumes, a finished run is left as it is.
#
#   bash 3_train.sh DATA_BIN SAVE_DIR SETTING [fairseq-train option ...]
#
#   links      MLM + TLM + DWA; labels from prepared links until update LINKS_UNTIL, then from the pointer itself
#   scratch    the paper's order of things: MLM + TLM until update COLD, then DWA on labels by hidden states
#   tlm        MLM + TLM alone
# UPDATES (6000), LINKS_UNTIL (4500), COLD (3000), SEED (1), MAX_TOKENS (4096).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../common/recipe.sh"
[[ $# -ge 3 ]] || { sed -n '2,9p' "$0" >&2; exit 2; }
data="$1" save="$2" setting="$3"
shift 3
: "${SEED:=1}" "${UPDATES:=6000}"
pointer=(--dwa-layer 2 --dwa-label-by pointer --dwa-queries all-aligned --aer-similarity pointer --aer-filter argmax)
case "$setting" in
  links) options=("${pointer[@]}" --dwa-links-until "${LINKS_UNTIL:-4500}") ;;
  scratch) options=(--dwa-start-update "${COLD:-3000}" --aer-filter argmax) ;;
  tlm) options=(--objectives mlm,tlm --aer-filter argmax) ;;
  *) echo "error: unknown setting $setting; expected links, scratch or tlm" >&2; exit 2 ;;
esac
mkdir -p "$save"
record_run "$save" "$setting" "$SEED" --cpu "UPDATES LINKS_UNTIL COLD SEED MAX_TOKENS" \
  3_train.sh DATA_BIN SAVE_DIR "$setting" "$@"
if finished "$save" "$UPDATES"; then exit; fi
fairseq-train "$data" --user-dir "$(xalign user-dir)" --task xalign_pretraining --criterion xlm_align \
  --arch xalign_tiny \
  --optimizer adam --adam-betas '(0.9, 0.98)' --adam-eps 1e-6 --weight-decay 0.01 --clip-norm 1.0 \
  --lr-scheduler polynomial_decay --lr 2e-3 --warmup-updates 200 --total-num-update "$UPDATES" --max-update "$UPDATES" \
  --max-positions 256 --max-tokens "${MAX_TOKENS:-4096}" --mono-tokens-per-sample 128 --mono-max-tokens 1024 \
  --loss-normalization per-objective --validate-interval-updates 500 --save-interval-updates 500 \
  --keep-interval-updates 1 --no-epoch-checkpoints --best-checkpoint-metric aer --log-format simple --log-interval 100 \
  --num-workers 1 --cpu --seed "$SEED" --tensorboard-logdir "$save/tensorboard" --save-dir "$save" \
  --log-file "$save/train.log" "${options[@]}" "$@"
