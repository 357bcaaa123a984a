#!/usr/bin/env bash
# Fine-tune, test and score every finished run of 2_train.sh. Existing results are kept.
#
#   bash 3_evaluate.sh DATA RUNS [NAME ...]          NAME: only these runs, such as xlm.trans_inv-1
#
# DATA: OUT of 1_data.sh. Writes one JSON file per run to RESULTS (RUNS/results); report.py reads them. TASKS (pos
# ner), STUDY (studies/small.yaml), DEVICE (--cpu; for a GPU "" or the DEVICE of 2_train.sh).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
need 2 "$@"
data="$1" runs="$2" results="${RESULTS:-$2/results}" study="${STUDY:-$here/studies/small.yaml}"
as_paths data runs results study
shift 2
read -r -a tasks <<< "${TASKS:-pos ner}"
device=() # fine-tuning uses the study's precision, not that of pre-training
[[ " ${DEVICE---cpu} " != *" --cpu "* ]] || device=(--cpu)

names=("$@")
if [[ $# -eq 0 ]]; then
  for folder in "$runs"/*-*/; do
    names+=("$(basename "$folder")")
  done
fi
wanted=()
for name in "${names[@]}"; do
  if [[ -e "$results/runs/$name.json" ]]; then
    echo "$name: already measured"
  elif [[ ! -d "$runs/$name" ]]; then
    echo "error: there is no run $name in $runs; next: bash 2_train.sh" >&2
    exit 2
  elif [[ "$(tail -n 1 "$runs/$name/train.log" 2> /dev/null)" != *"done training"* ]]; then # last line: resumed
    echo "$name: not finished"
  else
    wanted+=("$runs/$name")
  fi
done
[[ "${#wanted[@]}" -gt 0 ]] || exit 0
python "$here/evaluate.py" "$data" "${wanted[@]}" --tasks "${tasks[@]}" --study "$study" \
  --results "$results" "${device[@]}"
