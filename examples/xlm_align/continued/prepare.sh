#!/usr/bin/env bash
# The benchmark's four pairs as one data-bin with e5-small's tokenizer, its vocabulary trimmed to their text.
#
#   bash prepare.sh TEXT DATA_BIN
#
# BENCHMARK (default ../shared/data) is the folder with assemble.py and gold/. A pair that is in TEXT already stays.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
benchmark="${BENCHMARK:-$here/../../../../shared/data}"
[[ $# -eq 2 ]] || { sed -n '2,6p' "$0" >&2; exit 2; }
[[ -f "$benchmark/assemble.py" ]] || { echo "error: no assemble.py in $benchmark; set BENCHMARK" >&2; exit 2; }
text="$1" data="$2" pairs=()
for pair in de-en en-fr en-hi ro-en; do
  [[ -e "$text/$pair" ]] || python "$benchmark/assemble.py" "$pair" "$text/$pair"
  pairs+=(--pair "$pair" --trainpref "$text/$pair/train")
done
xalign prepare --out "$data" --tokenizer e5-small --trim-vocabulary "${pairs[@]}"
