#!/usr/bin/env bash
# Train on a data-bin of fairseq-preprocess with its links. Run again to resume; a finished run is kept.
#
#   bash 2_train.sh DATA_BIN SAVE_DIR [fairseq-train option ...]
#
# preprocessed.yaml has the settings: TLM, and weak contrastive alignment of linked tokens. UPDATES (its
# max_update), WARMUP (its warmup_updates), SEED (1), INIT (none: from scratch), DEVICE (--cpu; for a GPU --bf16).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
need 2 "$@"
data="$1" save="$2"
as_paths data save
[[ ! -e "${INIT:-}" ]] || as_paths INIT # e5-small is not a path
shift 2
: "${SEED:=1}" "${DEVICE=--cpu}"
read_options "$here/preprocessed.yaml"
mkdir -p "$save"
record_run "$save" preprocessed "$SEED" "$DEVICE" "UPDATES WARMUP SEED INIT DEVICE" 2_train.sh DATA_BIN SAVE_DIR "$@"
train_run "$data" "$save" ${WARMUP:+--warmup-updates "$WARMUP"} "$@"
