#!/usr/bin/env bash
# Word-exchange pre-training of one language pair. Run again to resume; a finished run is kept.
#
#   INIT=TEXT/mbert.pt bash 2_train.sh DATA_BIN SAVE_DIR SETTING PAIR [fairseq-train option ...]
#
# Settings (Yang et al. 2021), with the paper's hyper-parameters; INIT is the checkpoint to start from:
#   weam        TLM + word exchange with the data-bin's links   (Eq. 11)
#   weam_self   TLM + word exchange with links from the model itself; not in the paper
#   tlm         TLM, the paper's baseline
# UPDATES (two epochs: 2 x training pairs of the data-bin / 32, rounded up), WARMUP (a tenth of UPDATES). BATCH (32) x
# UPDATE_FREQ (1) x GPUs is 32 pairs: set BATCH=$((32 / N)) on N GPUs. SEED (1), ARCH (xalign_base), DEVICE
# (--fp16; set --cpu without a GPU).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
need 4 "$@"
require_file "INIT, the checkpoint to start from (TEXT/mbert.pt)" "${INIT:-}"
data="$1" save="$2" setting="$3" pair="$4"
as_paths data save INIT
shift 4
case "$setting" in
  weam) change=() ;;
  weam_self) change=(criterion.word_exchange_links=self) ;;
  tlm) change=(criterion.objectives=tlm) ;;
  *) echo "error: unknown setting $setting; expected weam, weam_self or tlm" >&2; exit 2 ;;
esac
if [[ -z "${UPDATES:-}" ]]; then
  pairs="$(count_pairs "$data" "$pair")"
  UPDATES="$(((2 * pairs + 31) / 32))" # 0 would mean no end to fairseq
fi
read_options "$here/weam.yaml" "task.lang_pairs=$pair" "optimization.max_update=$UPDATES" "${change[@]}"
: "${WARMUP:=$((UPDATES / 10))}" "${SEED:=1}" "${DEVICE=--fp16}"

mkdir -p "$save"
record_run "$save" "$setting" "$SEED" "$DEVICE" "INIT UPDATES WARMUP BATCH UPDATE_FREQ SEED ARCH DEVICE" \
  2_train.sh DATA_BIN SAVE_DIR "$setting" "$pair" "$@"
train_run "$data" "$save" ${WARMUP:+--warmup-updates "$WARMUP"} \
  ${BATCH:+--batch-size "$BATCH"} ${UPDATE_FREQ:+--update-freq "$UPDATE_FREQ"} ${ARCH:+--arch "$ARCH"} "$@"
