#!/usr/bin/env bash
# Align an encoder explicitly. Run again to resume; a finished run is kept.
#
#   INIT=xlmr.base/model.pt bash 2_train.sh DATA_BIN SAVE_DIR SETTING [option ...]
#
# Settings (Wu & Dredze 2020), with the paper's hyper-parameters; INIT is the checkpoint to start from:
#   linear_mapping   a map per layer and language by gradient descent, encoder frozen   (Eq. 1 and 2)
#   procrustes       the same maps in closed form, by xalign procrustes                 (Eq. 1)
#   l2               L2 alignment, parameters kept close                                (Eq. 6)
#   l2_hidden        L2 alignment, hidden states of English kept close                  (Eq. 3 and 4, Cao et al. 2020)
#   weak, strong     contrastive alignment of words, parameters kept close              (Eq. 7 or 8, and 5)
# Options are fairseq-train's (procrustes: those of xalign procrustes). UPDATES (100000; linear_mapping 20000), WARMUP
# (4000; linear_mapping 0). An update has BATCH (128) pairs x UPDATE_FREQ (1) x GPUs, 128 pairs in the paper: on N GPUs
# set BATCH=$((128 / N)). weak and strong need UPDATE_FREQ=1, because their negatives come from one micro-batch of all
# GPUs. SEED (1), ARCH (xalign_base), DEVICE (--fp16; linear_mapping
# --memory-efficient-fp16; set --cpu without a GPU).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
need 3 "$@"
require_file "INIT, the checkpoint to start from (xlmr.base/model.pt)" "${INIT:-}"
data="$1" save="$2" setting="$3"
as_paths data save INIT
shift 3
sizes="INIT UPDATES WARMUP BATCH UPDATE_FREQ SEED ARCH DEVICE"
case "$setting" in
  linear_mapping)
    # A float32 copy of the maps in the optimiser would undo their changes between updates.
    : "${DEVICE=--memory-efficient-fp16}"
    read_options "$here/linear_mapping.yaml"
    ;;
  procrustes) sizes="INIT" ;;
  l2 | l2_hidden)
    regulariser="$([[ "$setting" == l2 ]] && echo reg_param || echo reg_hidden)"
    read_options "$here/weak.yaml" "criterion.objectives='l2_align,$regulariser'" criterion.word_contrastive_gather=false
    ;;
  weak | strong) read_options "$here/weak.yaml" "criterion.word_contrastive_negatives=$setting" ;;
  *)
    echo "error: unknown setting $setting; expected linear_mapping, procrustes, l2, l2_hidden, weak or strong" >&2
    exit 2
    ;;
esac
: "${SEED:=1}" "${DEVICE=--fp16}"

mkdir -p "$save"
record_run "$save" "$setting" "$SEED" "$DEVICE" "$sizes" \
  2_train.sh DATA_BIN SAVE_DIR "$setting" "$@"
if [[ "$setting" == procrustes ]]; then
  last="$save/checkpoint_last.pt"
  if [[ -e "$last" ]]; then
    echo "$save already has its maps, by the command in $save/run.json"
  else
    xalign procrustes --model "$INIT" --data "$data" --out "$last" "$@"
  fi
  exit
fi
train_run "$data" "$save" ${WARMUP:+--warmup-updates "$WARMUP"} \
  ${BATCH:+--batch-size "$BATCH"} ${UPDATE_FREQ:+--update-freq "$UPDATE_FREQ"} ${ARCH:+--arch "$ARCH"} "$@"
