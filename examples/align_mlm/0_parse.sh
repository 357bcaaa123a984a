#!/usr/bin/env bash
# Train a tagger and parser on treebanks and parse a text with it, for the syntax step of 1_data.sh.
#
#   bash 0_parse.sh TEXT PARSES TREEBANK [TREEBANK ...]
#
# TEXT: one sentence per line, words separated by spaces (OUT/text/english.txt of 1_data.sh). TREEBANK: CoNLL-U of the
# same language. TEST: another treebank, to evaluate the parser. EPOCHS (15), SEED (1).
# To use a better parser, write CoNLL-U with UPOS, HEAD and DEPREL for each line and skip this script.
# Writes PARSES (CoNLL-U), and parser.pt and parser.log next to it. Existing files are kept.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
need 3 "$@"
text="$1" parses="$2" TEST="${TEST:-}" treebanks=()
as_paths text parses TEST
shift 2
for treebank in "$@"; do
  as_paths treebank
  treebanks+=("$treebank")
done
require_file TEXT "$text"
for treebank in "${treebanks[@]}" ${TEST:+"$TEST"}; do
  require_file TREEBANK "$treebank"
done
model="$(dirname "$parses")/parser.pt"
mkdir -p "$(dirname "$parses")"

if [[ ! -e "$model" ]]; then
  python "$here/parse_text.py" train "$model" "${treebanks[@]}" ${TEST:+--test "$TEST"} --epochs "${EPOCHS:-15}" \
    --seed "${SEED:-1}" | tee "${model%.pt}.log"
fi
[[ -e "$parses" ]] || python "$here/parse_text.py" parse "$model" "$text" "$parses"
