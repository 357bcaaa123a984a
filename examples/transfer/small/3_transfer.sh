#!/usr/bin/env bash
# Fine-tune and test every encoder of the study, then write the report; run it again to add what is missing.
#
#   bash 3_transfer.sh RUNS OUT [xalign transfer option ...]       RUNS: of 2_encoders.sh
#
# BENCHMARK (default ../shared/data) is the folder with eval/ and bitext/. JOBS (default 2) runs side by side.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../../common/recipe.sh"
benchmark="${BENCHMARK:-$here/../../../../shared/data}"
[[ $# -ge 2 ]] || usage
runs="$1" out="$2"
as_paths benchmark runs out
shift 2
checkpoints=()
for setting in base mlm tlm xlm_align; do
  name="${setting/base/none}" # no continuation
  [[ -e "$runs/$setting/checkpoint_last.pt" ]] && checkpoints+=("$name=$runs/$setting/checkpoint_last.pt")
done
xalign transfer --study "$here/studies/small.yaml" --data "$benchmark" --model "${checkpoints[@]}" \
  --jobs "${JOBS:-2}" --out "$out" "$@"
xalign transfer-report "$out" --baseline none
