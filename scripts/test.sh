#!/usr/bin/env bash
# Lint, types, shell syntax and all tests; arguments go to pytest. Makes and fills .venv where no environment is active.
#
#   bash scripts/test.sh
#   bash scripts/test.sh tests/alignment -k sinkhorn
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/install.sh

export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}" # the tests' tensors are tiny: more threads only wait for one another
ruff check .
ruff format --check .
mypy
while IFS= read -r script; do
  bash -n "$script"
done < <(find scripts examples .ci -name '*.sh' -o -path '.ci/run' 2> /dev/null)
pytest "$@"
