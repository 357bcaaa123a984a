#!/usr/bin/env bash
# Fine-tune and test e5-small and its continuations, then write the report. Run again to add missing runs.
#
#   bash 2_transfer.sh MODELS OUT [xalign transfer option ...]       MODELS: of 1_models.sh
#
# BENCHMARK (default ../shared/data) is the folder with eval/ and bitext/. DEVICE: "--cpu --bf16" (the default), or
# "--bf16" for a GPU.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
need 2 "$@"
choose_benchmark eval bitext
models="$1" out="$2"
as_paths models out
shift 2
checkpoints=(--model none=e5-small)
for model in "$models"/*.pt; do
  [[ -e "$model" ]] || { echo "error: no models in $models; next: bash 1_models.sh" >&2; exit 2; }
  checkpoints+=(--model "$(basename "$model" .pt)=$model")
done
read -r -a device <<< "${DEVICE---cpu --bf16}"
xalign transfer --study "$here/studies/e5_small.yaml" --data "$benchmark" "${checkpoints[@]}" "${device[@]}" \
  --out "$out" "$@"
xalign transfer-report "$out" --baseline none
