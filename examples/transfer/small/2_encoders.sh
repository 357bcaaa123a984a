#!/usr/bin/env bash
# The encoders that the transfer study compares: one MLM encoder, and its continuations by an equal number of updates.
#
#   bash 2_encoders.sh DATA_BIN RUNS SETTING          run it again to resume; a finished run is kept
#
# Settings: base (MLM from scratch), and from RUNS/base, on the same batches:
#   mlm        MLM alone: what more training brings by itself (the bitext is read as text: --mono)
#   tlm        MLM + TLM
#   xlm_align  MLM + TLM + DWA, labels from eflomal's links until update LINKS_UNTIL, then its own
# The options are those of base.yaml (base, mlm) and xlm_align.yaml. UPDATES (default 2200 for base, 1200 after it),
# LINKS_UNTIL (1000), SEED (1), ARCH (xalign_tiny), DEVICE (--cpu; for a GPU set it to --bf16 and raise the sizes).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../../common/recipe.sh"
[[ $# -eq 3 ]] || usage
data="$1" runs="$2" setting="$3"
as_paths data runs
save="$runs/$setting" INIT="$runs/base/checkpoint_last.pt" until=()
case "$setting" in
  base)
    read_options "$here/base.yaml"
    INIT=""
    ;;
  mlm) read_options "$here/base.yaml" "optimization.lr=[1.0e-3]" optimization.max_update=1200 ;;
  tlm)
    read_options "$here/xlm_align.yaml" \
      "criterion={_name: xlm_align, objectives: 'mlm,tlm', loss_normalization: per-objective}"
    ;;
  xlm_align)
    read_options "$here/xlm_align.yaml"
    until=(${LINKS_UNTIL:+--dwa-links-until "$LINKS_UNTIL"})
    ;;
  *) echo "error: unknown setting $setting; expected base, mlm, tlm or xlm_align" >&2; exit 2 ;;
esac
[[ -z "$INIT" || -e "$INIT" ]] || { echo "error: no $runs/base; run setting base first" >&2; exit 2; }
: "${SEED:=1}" "${DEVICE:=--cpu}"
mkdir -p "$save"
record_run "$save" "$setting" "$SEED" "$DEVICE" "UPDATES LINKS_UNTIL SEED ARCH DEVICE" \
  2_encoders.sh DATA_BIN RUNS "$setting"
train_run "$data" "$save" ${ARCH:+--arch "$ARCH"} "${until[@]}"
