#!/usr/bin/env bash
# Short runs that differ from the setting "links" in one thing each: what does each part contribute?
#
#   bash 5_ablations.sh DATA_BIN RUNS TEXT PAIR [ABLATION ...]
#
# UPDATES (default 500) of each; all ablations by default. Finished runs are skipped.
# Writes results/ablation-NAME.json.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../../common/recipe.sh"
[[ $# -ge 4 ]] || usage
data="$1" runs="$2" text="$3" pair="$4"
as_paths data runs text
shift 4
export UPDATES="${UPDATES:-500}"
half=$((UPDATES / 2))
all=(
  base no-dwa no-tlm no-mlm last-layer masked-queries unmasked-queries joint own-labels own-labels-argmax
  own-labels-union own-labels-hidden scratch
)
[[ $# -gt 0 ]] || set -- "${all[@]}"

for name in "$@"; do
  until="$UPDATES" setting=links options=()
  case "$name" in
    base) ;;                                              # links all the time
    no-dwa) setting=tlm ;;                                # Table 3, -DWA
    no-tlm) options=(--objectives "mlm,dwa") ;;             # Table 3, -TLM
    no-mlm) options=(--objectives "tlm,dwa") ;;
    last-layer) options=(--dwa-layer -1) ;;               # Table 5
    masked-queries) options=(--dwa-queries masked) ;;     # Table 7; base has all-aligned
    unmasked-queries) options=(--dwa-queries unmasked) ;; # Table 7
    joint) options=(--loss-normalization joint) ;;        # the released code's normalisation
    own-labels) until="$half" ;;                          # links, then the pointer's own labels, filtered by itermax
    own-labels-argmax) until="$half" options=(--dwa-filter argmax) ;;
    own-labels-union) until="$half" options=(--dwa-filter union) ;; # Table 6, no filter
    own-labels-hidden) until="$half" options=(--dwa-label-by hidden) ;;
    scratch) setting=scratch ;;                           # no links: MLM + TLM, then labels by hidden states
    *) echo "error: unknown ablation $name; expected some of: ${all[*]}" >&2; exit 2 ;;
  esac
  [[ ! -e "$here/results/ablation-$name.json" ]] || { echo "$name: done already"; continue; }
  echo "$name: training"
  LINKS_UNTIL="$until" COLD="$half" bash "$here/3_train.sh" "$data" "$runs/$name" "$setting" "${options[@]}" \
    > /dev/null 2>&1 ||
    { tail -n 20 "$runs/$name/train.log" >&2; exit 1; }
  bash "$here/4_evaluate.sh" "$runs/$name" "$text" "ablation-$name" "$pair"
done
