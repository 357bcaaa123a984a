#!/usr/bin/env bash
# Continue XLM-R base with the hyper-parameters of the paper's Table 11, on GPUs. Run again to resume;
# a finished run is kept.
#
#   INIT=xlmr.base/model.pt bash 3_train.sh DATA_BIN SAVE_DIR base [fairseq-train option ...]
#
# UPDATES (150000), WARMUP (10000), SEED (1), BATCH (32) pairs and blocks per GPU, UPDATE_FREQ (8): 2048 pairs per
# update = 8 GPUs x BATCH x UPDATE_FREQ. DEVICE (--fp16; set --cpu without a GPU).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
need 3 "$@"
data="$1" save="$2" setting="$3"
as_paths data save INIT
shift 3
[[ "$setting" == base ]] || { echo "error: unknown setting $setting; expected base" >&2; exit 2; }
: "${SEED:=1}" "${DEVICE=--fp16}"
read_options "$here/base.yaml"
require_file "INIT, the checkpoint to start from (xlmr.base/model.pt)" "${INIT:-}"
mkdir -p "$save"
record_run "$save" "$setting" "$SEED" "$DEVICE" "INIT UPDATES WARMUP SEED BATCH UPDATE_FREQ DEVICE" \
  3_train.sh DATA_BIN SAVE_DIR "$setting" "$@"
train_run "$data" "$save" ${WARMUP:+--warmup-updates "$WARMUP"} \
  ${BATCH:+--batch-size "$BATCH" --mono-batch-size "$BATCH"} ${UPDATE_FREQ:+--update-freq "$UPDATE_FREQ"} "$@"
