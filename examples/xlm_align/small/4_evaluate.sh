#!/usr/bin/env bash
# Score a run of 3_train.sh on the test sets; layer, method and similarity are chosen on development sets.
#
#   bash 4_evaluate.sh SAVE_DIR TEXT NAME PAIR [PAIR ...] [--checkpoint checkpoint_best.pt]
#
# Writes results/NAME.json next to this script, and prints the chosen setting's AER.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../../common/recipe.sh"
[[ $# -ge 4 ]] || usage
save="$1" text="$2"
as_paths save text
mkdir -p "$here/results"
python "$here/evaluate.py" "$save" "$text" "$here/results/$3.json" "${@:4}"
