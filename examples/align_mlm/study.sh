#!/usr/bin/env bash
# The whole study: every run is trained and then measured, the most important ones first.
#
#   bash study.sh DATA RUNS
#
# DATA: OUT of 1_data.sh. JOBS (1) runs side by side, SEEDS ("1 2 3"), RESULTS (results/ here); sizes are the variables of
# 2_train.sh. It may be stopped at any time: called again it goes on with what is missing, and leaves alone what another
# call is at. The output of each run is in RUNS/NAME.log.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
[[ $# -eq 2 ]] || { sed -n '2,8p' "$0" >&2; exit 2; }
data="$1" runs="$2"
: "${JOBS:=1}" "${SEEDS:=1 2 3}"
export RESULTS="${RESULTS:-$here/results}"
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-$((($(nproc) + JOBS - 1) / JOBS))}"

cells() { # OBJECTIVES LANGUAGE [VARIABLE=VALUE]: a line for each seed and objective
  local seed objective
  for seed in $SEEDS; do
    for objective in $1; do
      echo "$objective $2 $seed ${3:-}"
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

make() { # NAME OBJECTIVE LANGUAGE SEED [VARIABLE=VALUE]
  env ${5:+"$5"} bash "$here/2_train.sh" "$data" "$runs" "$2" "$3" "$4" && bash "$here/3_evaluate.sh" "$data" "$runs" "$1"
}

work() {
  local objective language seed variant name failed=0
  while read -r objective language seed variant; do
    name="${variant,,}"
    name="$objective.$language${name:+.${name/=/}}-$seed"
    if [[ ! -e "$data/data/$language" ]]; then
      echo "$name: left out, there is no $data/data/$language"
      continue
    fi
    # The lock goes with the last process that holds it, however that ends.
    exec {lock}> "$runs/.$name.lock"
    if flock -n "$lock" && [[ ! -e "$RESULTS/runs/$name.json" ]]; then
      if make "$name" "$objective" "$language" "$seed" "$variant" > "$runs/$name.log" 2>&1 < /dev/null; then
        tail -n 1 "$runs/$name.log"
      else
        failed=1
        echo "$name failed; the end of $runs/$name.log:" >&2
        tail -n 5 "$runs/$name.log" >&2
      fi
    fi
    exec {lock}>&-
  done < <(grid)
  return "$failed"
}

mkdir -p "$runs"
workers=()
for ((number = 0; number < JOBS; number++)); do
  work &
  workers+=("$!")
done
status=0
for worker in "${workers[@]}"; do
  wait "$worker" || status=1
done
exit "$status"
