#!/usr/bin/env bash
# Export the checkpoints to compare, with the full vocabulary, which was trimmed for training.
#
#   bash 1_models.sh RUNS MODELS        RUNS: of ../xlm_align/continued; MODELS/SETTING.pt: its first seed
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common/recipe.sh"
[[ $# -eq 2 ]] || usage
runs="$1" models="$2"
as_paths runs models
mkdir -p "$models"
settings=(
  so so-grow xlm-align strong mlm-tlm l2 ppa weam weak dwa ot mlm mlm-blocks mlm-dwa dwa-tlm tlm so-co so-psi so-dwa-tlm
  tlm30 moco so-guided
)
for setting in "${settings[@]}"; do
  [[ -e "$models/$setting.pt" ]] ||
    xalign untrim --model "$runs/$setting-1/checkpoint_last.pt" --original e5-small --out "$models/$setting.pt"
done
