#!/usr/bin/env bash
# Run a kit from pack.sh on an offline machine with a GPU; see run.py for its options.
#
#   bash run.sh KIT OUT [STAGE ...] [--seconds N] [--work FOLDER]
#
# PYTHON=python3.12 names the interpreter that has torch (default: python3).
set -euo pipefail
exec "${PYTHON:-python3}" "$(dirname "${BASH_SOURCE[0]}")/run.py" "$@"
