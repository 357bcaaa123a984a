#!/usr/bin/env bash
# Write constraints.txt: the versions of all packages in the active environment, in which the tests passed.
#
# To update it: install ".[train,plot,model,test,docs]" without constraints.txt into a new environment, then
# fairseq-fixed as in scripts/install.sh, run scripts/test.sh --all there, then this script. Use the oldest Python 3.11
# that you have: some releases require 3.11.5, and Debian 12 has 3.11.2.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

trap 'rm -f constraints.txt.new' EXIT
{
  echo "# The exact versions that scripts/install.sh installs, written by scripts/write_constraints.sh."
  echo "# pyproject.toml has the ranges."
  # Without torch's build after a +, which differs between machines.
  python -m pip list --format=freeze --exclude xalign_fairseq | sed 's/+.*//'
} > constraints.txt.new
mv constraints.txt.new constraints.txt
