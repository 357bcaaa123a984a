#!/usr/bin/env bash
# Lint, types, shell syntax and tests; arguments go to pytest. Creates .venv if no environment is active.
#
#   bash scripts/test.sh          without the slow tests: those that train, compile or install
#   bash scripts/test.sh --all    all tests
#   bash scripts/test.sh tests/transport -k sinkhorn
#   bash scripts/test.sh -n 0     in one process instead of one for each core
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/install.sh test

export PYTHONUTF8=1                            # the tests write files without naming an encoding
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}" # tiny tensors: threads would only wait for each other
ruff check .
ruff format --check .
mypy
find scripts examples .ci \( -name '*.sh' -o -name '*.sbatch' -o -path '.ci/run' \) -exec shellcheck {} +

# Tests of a file stay in one process, which creates their fixtures once. Files run in order of their names: xdist's
# own order, by length, would start the few long training runs last.
parallel=(-n auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder)
arguments=()
left_out="Slow tests, which train, compile or install, are skipped; --all runs them too."
for argument in "$@"; do
  case "$argument" in
    -n* | --numprocesses* | -pno:xdist | no:xdist | --pdb) parallel=() ;;
    --all) # pyproject.toml deselects slow tests
      argument="-m=" left_out=""
      arguments+=(--durations=25 --durations-min=8) # the slowest tests
      ;;
    *) ;;
  esac
  arguments+=("$argument")
done
[[ -z "$left_out" ]] || echo "$left_out"
pytest "${parallel[@]}" "${arguments[@]}"
