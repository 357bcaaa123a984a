# Sourced by the other scripts: leaves a shell inside a virtual environment in which the package and its tests can run.
#
# With an environment active, that one is taken, and filled only if the package is missing there. Otherwise .venv in the
# root of the repository is made and filled, and filled again when setup.py or constraints.txt change.
#
#   PYTHON=python3.12       the interpreter for a new one (default: the first of python3, python3.12, python3.11 that fits)
#   XALIGN_VENV=DIR         another place than .venv
#   XALIGN_INSTALL=plain    pip install . rather than pip install -e .
#   PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu    pip's own variable: torch without CUDA, a tenth of the size

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

fits() {
  "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))' > /dev/null 2>&1
}

choose_python() {
  local candidate
  for candidate in ${PYTHON:-python3 python3.12 python3.11}; do
    if fits "$candidate"; then
      echo "$candidate"
      return
    fi
  done
  echo "error: no Python 3.11 or 3.12 with venv was found (tried: ${PYTHON:-python3 python3.12 python3.11})" >&2
  echo "  next: install one, such as 'apt-get install python3.12-venv', or name it: PYTHON=/path/to/python3.12" >&2
  return 1
}

fill() {
  local target=(-e ".[test,plot,tensorboard]")
  if [[ "${XALIGN_INSTALL:-editable}" == plain ]]; then
    rm -rf "$root/build" # pip builds in here, and would pack what an earlier build has left
    target=(".[test,plot,tensorboard]")
  fi
  echo "Installing into $VIRTUAL_ENV (several minutes: fairseq is compiled where it has no wheel)" >&2
  python -m pip install --quiet --upgrade pip
  # Two steps, since fairseq compiles against the torch that is there; with build isolation pip would fetch another one.
  python -m pip install --quiet -c "$root/constraints.txt" torch "numpy>=2" "setuptools>=77" cython wheel
  # Its sources name .cu files that they do not hold: CUDA_HOME would make the build look for them.
  env -u CUDA_HOME python -m pip install --quiet -c "$root/constraints.txt" --no-build-isolation fairseq-fixed
  (cd "$root" && python -m pip install --quiet -c constraints.txt --no-build-isolation "${target[@]}")
}

installed() {
  # From elsewhere than the root, where the source folder itself would be found.
  (cd / && python -c 'import importlib.util as i, sys; sys.exit(not all(map(i.find_spec, sys.argv[1:])))' \
    xalign_fairseq fairseq pytest xdist matplotlib) 2> /dev/null
}

if [[ -n "${VIRTUAL_ENV:-}" ]]; then
  installed || fill
else
  place="${XALIGN_VENV:-$root/.venv}"
  stamp="$place/filled-for-$(cat "$root/setup.py" "$root/constraints.txt" | cksum | tr ' ' '-')"
  if [[ ! -e "$stamp" ]]; then
    python="$(choose_python)"
    "$python" -m venv "$place"
  fi
  # shellcheck disable=SC1091
  source "$place/bin/activate"
  if [[ ! -e "$stamp" ]]; then
    fill
    rm -f "$place"/filled-for-*
    touch "$stamp"
  fi
fi
