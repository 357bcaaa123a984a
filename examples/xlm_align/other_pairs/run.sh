#!/usr/bin/env bash
# Self-training of e5-small on pairs beside the benchmark's four, one run for each choice of pairs, and their scores.
#
#   bash run.sh TEXT RUNS [SEED ...]
#
# TEXT: of ../continued/prepare.sh; pairs that are not in it are added. RUNS/CHOICE/so-SEED is a run; what is there
# already stays. BENCHMARK (default ../shared/data) is the folder with assemble.py and gold/.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../../common/recipe.sh"
[[ $# -ge 2 ]] || usage
choose_benchmark
text="$1" runs="$2" seeds=("${@:3}")
[[ ${#seeds[@]} -gt 0 ]] || seeds=(1)
four="de-en en-fr en-hi ro-en" seven="en-ar en-cs en-es en-ja en-ru en-vi en-zh"
declare -A choices=([cs]="en-cs" [es]="en-es" [ja]="en-ja" [seven]="$seven" [four]="$four" [eleven]="$four $seven")

for pair in $four $seven; do
  [[ -e "$text/$pair" ]] && continue
  if [[ " $four " == *" $pair "* ]]; then
    python "$benchmark/assemble.py" "$pair" "$text/.$pair"
  else
    python "$here/other_text.py" "$benchmark" "$pair" "$text/.$pair"
  fi
  mv "$text/.$pair" "$text/$pair" # once both sides are there
done
for choice in seven eleven cs es ja four; do
  pairs=()
  for pair in ${choices[$choice]}; do
    pairs+=(--pair "$pair" --trainpref "$text/$pair/train")
  done
  [[ -e "$runs/$choice/data-bin" ]] ||
    xalign prepare --out "$runs/$choice/data-bin" --tokenizer e5-small --trim-vocabulary "${pairs[@]}"
  for seed in "${seeds[@]}"; do
    python "$here/../continued/train.py" "$runs/$choice/data-bin" "$benchmark/gold" "$runs/$choice" so "$seed" \
      --every 200
  done
done
python "$here/score.py" "$benchmark/gold" "$runs"
