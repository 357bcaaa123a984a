#!/usr/bin/env bash
# Measure the encoder itself and every finished run of 1_train.sh; existing measurements are kept.
#
#   bash 2_evaluate.sh ENCODER RUNS TEXT [evaluate.py option ...]
#
# TEXT: of ../transfer/small/1_data.sh, for silver links and word frequencies. BENCHMARK (default ../shared/data) is the
# folder with gold/, bitext/ and dict/. Writes results/runs/; then run `python report.py` and
# `python ../../scripts/compile_results.py`. PAIR (de-en): another pair is measured anew.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
benchmark="${BENCHMARK:-$here/../../../shared/data}"
[[ $# -ge 3 ]] || usage
encoder="$1" runs="$2" text="$3" pair="${PAIR:-de-en}"
as_paths benchmark encoder runs text
shift 3
options=("$@")
[[ -e "$encoder" ]] || { echo "error: no checkpoint $encoder" >&2; exit 2; }
[[ -d "$benchmark/gold" ]] || { echo "error: no gold/ in $benchmark; set BENCHMARK" >&2; exit 2; }

measure() { # CHECKPOINT NAME
  if grep -qs "\"pair\": \"$pair\"" "$here/results/runs/$2.json"; then
    echo "$2: measured already"
  else
    python "$here/evaluate.py" "$1" "$2" "$benchmark" "$text" --pair "$pair" "${options[@]}"
  fi
}

measure "$encoder" none
for run in "$runs"/*/; do
  name="$(basename "$run")"
  if [[ -e "$run/train.log" && "$(tail -n 1 "$run/train.log")" != *"done training"* ]]; then # not an earlier end
    echo "$name: not finished"
  elif [[ -e "$run/checkpoint_last.pt" ]]; then
    measure "$run/checkpoint_last.pt" "$name"
  fi
done
