#!/usr/bin/env bash
# Train one setting from scratch on a CPU, 3 layers of 128; run it again to resume; a finished run is kept.
#
#   bash 3_train.sh DATA_BIN SAVE_DIR SETTING [fairseq-train option ...]
#
#   links      MLM + TLM + DWA; labels from prepared links until update LINKS_UNTIL, then from the pointer itself
#   scratch    as in the paper: MLM + TLM until update COLD, then DWA on labels by hidden states
#   tlm        MLM + TLM
# UPDATES (6000), LINKS_UNTIL (4500), COLD (3000), SEED (1), MAX_TOKENS (4096).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../../common/recipe.sh"
[[ $# -ge 3 ]] || usage
data="$1" save="$2" setting="$3"
as_paths data save
shift 3
: "${SEED:=1}"
DEVICE=--cpu INIT="" # from scratch
others="_name: xlm_align, loss_normalization: per-objective, aer_filter: argmax"
case "$setting" in
  links) change=(${LINKS_UNTIL:+"criterion.dwa_links_until=$LINKS_UNTIL"}) ;;
  scratch) change=("criterion={$others, dwa_start_update: ${COLD:-3000}}") ;;
  tlm) change=("criterion={$others, objectives: 'mlm,tlm'}") ;;
  *) echo "error: unknown setting $setting; expected links, scratch or tlm" >&2; exit 2 ;;
esac
read_options "$here/tiny_links.yaml" "${change[@]}"
mkdir -p "$save"
record_run "$save" "$setting" "$SEED" --cpu "UPDATES LINKS_UNTIL COLD SEED MAX_TOKENS" \
  3_train.sh DATA_BIN SAVE_DIR "$setting" "$@"
train_run "$data" "$save" ${MAX_TOKENS:+--max-tokens "$MAX_TOKENS"} "$@"
