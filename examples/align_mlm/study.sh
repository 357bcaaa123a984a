#!/usr/bin/env bash
# Train and evaluate every run of the study, the most important ones first.
#
#   bash study.sh DATA RUNS
#
# DATA: OUT of 1_data.sh. JOBS (1): parallel runs. SEEDS ("1 2 3"), RESULTS (RUNS/results), and the variables of
# 2_train.sh for sizes. You can stop it at any time. Run again, it adds missing results and skips the runs of another
# call. Logs: RUNS/NAME.log.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
[[ $# -eq 2 ]] || usage
data="$1" runs="$2"
: "${JOBS:=1}" "${SEEDS:=1 2 3}"
export RESULTS="${RESULTS:-$runs/results}"
as_paths data runs RESULTS
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-$((($(nproc) + JOBS - 1) / JOBS))}"

cells() { # OBJECTIVES LANGUAGE [VARIABLE=VALUE]: one line per seed and objective
  local seed objective
  for seed in $SEEDS; do
    for objective in $1; do
      echo "$objective $2 $seed${3:+ $3}"
    done
  done
}

grid() {
  local language value
  for language in trans_inv trans trans_syn; do
    cells "align_mlm mlm xlm dict_mlm" "$language"
  done
  cells "align_mlm dict_mlm" trans_inv DICTIONARY=50
  for value in 1 10 100; do
    cells xlm trans_inv "PARALLEL=$value"
  done
  for value in 25 50; do
    cells xlm trans_inv "OVERLAP=$value"
  done
  cells "align_mlm dict_mlm" trans_syn DICTIONARY=50
}

run() { # OBJECTIVE LANGUAGE SEED [VARIABLE=VALUE]: train and evaluate, unless this is done or in progress
  local name="${4:-}"
  name="${name,,}"
  name="$1.$2${name:+.${name/=/}}-$3"
  if [[ ! -e "$data/data/$2" ]]; then
    echo "$name: skipped, no $data/data/$2"
    return
  fi
  # The system releases the lock when the last process that holds it ends, however it ends.
  exec 9> "$runs/.$name.lock"
  if ! flock -n 9 || [[ -e "$RESULTS/runs/$name.json" ]]; then
    return
  fi
  if env ${4:+"$4"} bash "$here/2_train.sh" "$data" "$runs" "$1" "$2" "$3" > "$runs/$name.log" 2>&1 &&
    bash "$here/3_evaluate.sh" "$data" "$runs" "$name" >> "$runs/$name.log" 2>&1; then
    tail -n 1 "$runs/$name.log"
  else
    echo "$name failed; the end of $runs/$name.log:" >&2
    tail -n 5 "$runs/$name.log" >&2
    return 1
  fi
}

mkdir -p "$runs"
export -f run
export here data runs
# If a run failed, xargs finishes the others and exits with a nonzero code.
grid | xargs -P "$JOBS" -L 1 bash -c 'run "$@"' _
