#!/usr/bin/env bash
# Post-pretraining alignment. Run again to resume; a finished run is kept.
#
#   INIT=TEXT/mbert.pt bash 2_train.sh DATA_BIN SAVE_DIR SETTING [fairseq-train option ...]
#
# Settings (Pan et al. 2021), with the paper's hyper-parameters; INIT is the checkpoint to start from:
#   ppa        MoCo + TLM          (Eq. 4)
#   tlm        without MoCo        (Table 5)
#   moco       without TLM         (Table 5)
#   ppa_mlm    MoCo + MLM on each sentence, instead of TLM   (Table 5)
#   ppa_mean   MoCo on the mean of the tokens, + TLM          (footnote 1)
# EPOCHS (10; 5 above 7 million pairs, the paper's 2M setting): passes over the training pairs. UPDATES replaces EPOCHS.
# WARMUP (a tenth of UPDATES). BATCH (128) x UPDATE_FREQ (1) x GPUs is 128 pairs: set BATCH=$((128 / N)) on N GPUs.
# SEED (1), ARCH (xalign_base), DEVICE (--fp16; set --cpu without a GPU).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
need 3 "$@"
require_file "INIT, the checkpoint to start from (TEXT/mbert.pt)" "${INIT:-}"
data="$1" save="$2" setting="$3"
as_paths data save INIT
shift 3
case "$setting" in
  ppa) change=() ;;
  tlm | moco) change=("criterion.objectives=$setting") ;;
  ppa_mlm) change=("criterion.objectives='moco,sentence_mlm'") ;;
  ppa_mean) change=(criterion.moco_pooling=mean) ;;
  *) echo "error: unknown setting $setting; expected ppa, tlm, moco, ppa_mlm or ppa_mean" >&2; exit 2 ;;
esac
if [[ -z "${UPDATES:-}" ]]; then
  pairs="$(count_pairs "$data")"
  : "${EPOCHS:=$((pairs > 7000000 ? 5 : 10))}"
  UPDATES="$(((EPOCHS * pairs + 127) / 128))"
  echo "$pairs pairs, $EPOCHS of the paper's epochs: $UPDATES updates of 128 pairs" >&2
fi
read_options "$here/ppa.yaml" "${change[@]}"
: "${SEED:=1}" "${DEVICE=--fp16}" "${WARMUP:=$((UPDATES / 10))}"

mkdir -p "$save"
record_run "$save" "$setting" "$SEED" "$DEVICE" "INIT UPDATES WARMUP BATCH UPDATE_FREQ SEED ARCH DEVICE" \
  2_train.sh DATA_BIN SAVE_DIR "$setting" "$@"
train_run "$data" "$save" ${WARMUP:+--warmup-updates "$WARMUP"} \
  ${BATCH:+--batch-size "$BATCH"} ${UPDATE_FREQ:+--update-freq "$UPDATE_FREQ"} ${ARCH:+--arch "$ARCH"} "$@"
