#!/usr/bin/env bash
# Prepare the benchmark's four pairs as one data-bin, with e5-small's tokenizer (its vocabulary trimmed to their text),
# eflomal's links (pip install eflomal), and each side as monolingual text.
#
#   bash prepare.sh TEXT DATA_BIN
#
# BENCHMARK (default ../shared/data) is the folder with assemble.py and gold/. Existing files are kept.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../common/recipe.sh"
[[ $# -eq 2 ]] || usage
choose_benchmark assemble.py
text="$1" data="$2" pairs=()
as_paths text data
for pair in de-en en-fr en-hi ro-en; do
  if [[ ! -e "$text/$pair" ]]; then
    python "$benchmark/assemble.py" "$pair" "$text/.$pair" # not in parallel
    mv "$text/.$pair" "$text/$pair"
  fi
  sides=(--src "$text/$pair/train.${pair%-*}" --tgt "$text/$pair/train.${pair#*-}")
  [[ -e "$text/$pair/train.links" ]] || xalign links --engine eflomal "${sides[@]}" --out "$text/$pair/train.links"
  pairs+=(--pair "$pair" --trainpref "$text/$pair/train" --links "train=$text/$pair/train.links")
  for side in ${pair/-/ }; do pairs+=(--mono "$side=$text/$pair/train.$side"); done
done
[[ ! -e "$data" ]] || { echo "$data already exists"; exit 0; }
xalign prepare --out "$data" --tokenizer e5-small --trim-vocabulary "${pairs[@]}"
