#!/usr/bin/env bash
# The encoders that the transfer study compares: one MLM encoder, and its continuations by an equal number of updates.
#
#   bash 2_encoders.sh DATA_BIN RUNS SETTING          running it again resumes; a finished run is left as it is
#
# Settings: base (MLM from scratch), and from RUNS/base, on the same batches:
#   mlm        MLM alone: what more training brings by itself (the bitext is read as text: --mono)
#   tlm        MLM + TLM
#   xlm_align  MLM + TLM + DWA, labels from eflomal's links until update LINKS_UNTIL, then its own
# UPDATES (default 2200 for base, 1200 after it), LINKS_UNTIL (1000), SEED (1), ARCH (xalign_tiny), DEVICE (--cpu; for
# a GPU set it to --bf16 and raise the sizes).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../common/recipe.sh"
[[ $# -eq 3 ]] || usage
data="$1" runs="$2" setting="$3"
as_paths data runs
save="$runs/$setting"
if [[ "$setting" == base ]]; then : "${UPDATES:=2200}"; else : "${UPDATES:=1200}"; fi
: "${SEED:=1}" "${DEVICE:=--cpu}"
options=(
  "$data" --user-dir "$(xalign user-dir)" --task xalign_pretraining --arch "${ARCH:-xalign_tiny}" --max-positions 256
  --mono-tokens-per-sample 128 --optimizer adam --adam-betas '(0.9, 0.98)' --adam-eps 1e-6 --weight-decay 0.01
  --clip-norm 1.0 --lr-scheduler polynomial_decay --warmup-updates 200
  --total-num-update "$UPDATES" --max-update "$UPDATES" --seed "$SEED" --sampling-temperature 2
  --no-epoch-checkpoints --save-interval-updates 500 --validate-interval-updates 500 --keep-interval-updates 1
  --log-format simple --log-interval 100 --num-workers 1 --save-dir "$save" --log-file "$save/train.log" --tensorboard-logdir "$save/tensorboard"
)
read -r -a device <<< "$DEVICE"
pairs=(--loss-normalization per-objective --max-tokens 3072 --mono-max-tokens 1024)
mkdir -p "$save"
case "$setting" in
  base) options+=(--criterion mlm --max-tokens 4096 --lr 2e-3 --disable-validation) ;;
  mlm) options+=(--criterion mlm --max-tokens 4096 --lr 1e-3 --disable-validation) ;;
  tlm) options+=(--criterion xlm_align --objectives "mlm,tlm" --lr 1e-3 "${pairs[@]}") ;;
  xlm_align)
    options+=(--criterion xlm_align --lr 1e-3 "${pairs[@]}" --dwa-layer 2 --dwa-label-by pointer)
    options+=(--dwa-queries all-aligned --dwa-links-until "${LINKS_UNTIL:-1000}")
    options+=(--aer-similarity pointer --aer-filter argmax)
    ;;
  *) echo "error: unknown setting $setting; expected base, mlm, tlm or xlm_align" >&2; exit 2 ;;
esac
if [[ "$setting" != base ]]; then
  [[ -e "$runs/base/checkpoint_last.pt" ]] || { echo "error: no $runs/base; run setting base first" >&2; exit 2; }
  options+=(--init-checkpoint "$runs/base/checkpoint_last.pt")
fi
record_run "$save" "$setting" "$SEED" "$DEVICE" "UPDATES LINKS_UNTIL SEED ARCH DEVICE" \
  2_encoders.sh DATA_BIN RUNS "$setting"
if finished "$save" "$UPDATES"; then exit; fi
fairseq-train "${options[@]}" "${device[@]}"
