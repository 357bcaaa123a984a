#!/usr/bin/env bash
# The main job on real text, in a few minutes on two cores: word links by the encoder that comes with the package; bitext to
# a data-bin; training by XLM-Align's objectives; links and their AER again, and a page to look at them.
# Makes and fills .venv where no environment is active. Everything it writes is in demo-output, made anew each time,
# or in the new folder given. The text is in examples/demo, with its terms.
#
#   bash scripts/demo.sh [FOLDER]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/install.sh user

out="${1:-demo-output}"
if [[ $# -gt 0 && -e "$out" ]]; then
  echo "error: $out exists already; name a new folder" >&2
  exit 2
fi
gold=examples/demo/gold bitext=examples/demo/bitext
trained=(en-es en-fr)      # pairs with bitext
tested=(en-es en-fr en-pt) # pairs with gold links; no bitext has Portuguese
updates=150

step() { printf '\n== %s\n' "$*"; }

[[ $# -gt 0 ]] || rm -rf demo-output
mkdir -p "$out"

links() { # NAME OPTION...: aligns the gold sets and scores the links
  local pair
  for pair in "${tested[@]}"; do
    xalign align --quiet "${@:2}" --src "$gold/$pair.en" --tgt "$gold/$pair.${pair#*-}" --out "$out/$pair.$1.links"
    printf '%s: ' "$pair"
    xalign score --hyp "$out/$pair.$1.links" --gold "$gold/$pair.gold" | grep -E '^aer'
  done
}

step "Word links of 100 sentences each, by e5-small as it is"
links before
paste -d '\n' <(sed -n 2p "$gold/en-fr.en") <(sed -n 2p "$gold/en-fr.fr") <(sed -n 2p "$out/en-fr.before.links")

step "Data-bin of 6,000 pairs each, and e5-small with the pieces that they need"
prepare=(--destdir "$out/data-bin" --tokenizer e5-small --trim-vocabulary --workers 2)
for pair in "${trained[@]}"; do
  prepare+=(--pair "$pair" --trainpref "$bitext/$pair")
done
xalign prepare "${prepare[@]}"

step "Training: $updates updates of 32 pairs by MLM, TLM, DWA on its own labels, and self-training"
