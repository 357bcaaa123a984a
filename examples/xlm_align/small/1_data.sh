#!/usr/bin/env bash
# Text of the word-alignment benchmark: training bitext, bootstrap links from eflomal, development and test sets.
#
#   bash 1_data.sh OUT PAIR [PAIR ...]          PAIR: ro-en de-en en-fr en-hi
#
# BENCHMARK (default ../shared/data) is the folder with assemble.py, bitext/ and gold/. Needs: pip install ".[recipes]"
# Existing pairs are kept. Writes OUT/PAIR/{train,valid,test}.{LANG,LANG,links|gold}.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
common="$here/../../common"
# shellcheck source=../../common/recipe.sh
source "$common/recipe.sh"
[[ $# -ge 2 ]] || usage
choose_benchmark
out="$1"
as_paths out
shift

tokenize() { # LANG OPTION... < text > tokens
  local marks=()
  [[ "$1" == ro ]] && marks=(--strip-marks) # the Romanian gold set was written without diacritics
  python "$common/tokenize_bitext.py" "$@" "${marks[@]}"
}

eflomal() { # NAME: links of $work/NAME.{$src,$tgt}: NAME.fwd, NAME.rev, and both by grow-diag-final-and, NAME.links
  local text="$work/$1"
  xalign links --engine eflomal --src "$text.$src" --tgt "$text.$tgt" --out "$text.links" --directions "$text"
}

for pair in "$@"; do
  [[ ! -e "$out/$pair" ]] || { echo "$out/$pair is there already"; continue; }
  src="${pair%-*}" tgt="${pair#*-}"
  work="$out/.$pair"
  rm -rf "$work"
  mkdir -p "$work"
  python "$benchmark/assemble.py" "$pair" "$work/raw"
  jobs=()
  for lang in "$src" "$tgt"; do
    tokenize "$lang" < "$work/raw/train.$lang" > "$work/all.$lang" &
    jobs+=("$!")
    tokenize "$lang" --tokenized < "$benchmark/gold/simalign-testsets/$pair.$lang" > "$work/test.$lang"
  done
  for job in "${jobs[@]}"; do
    wait "$job" # without an id it succeeds whatever a job does
  done
  cp --no-preserve=mode "$benchmark/gold/simalign-testsets/$pair.gold" "$work/test.gold"
  case "$pair" in # the development sets that the benchmark has; ro-en and de-en have none
    en-fr) dev=hansards-wpt03-trial ;;
    en-hi) dev=wpt05-hi-trial ;;
    *) dev= ;;
  esac
  if [[ -n "$dev" ]]; then
    cp --no-preserve=mode "$benchmark/gold/$dev/$pair.gold" "$work/dev.gold"
    for lang in "$src" "$tgt"; do
      tokenize "$lang" --tokenized < "$benchmark/gold/$dev/$pair.$lang" > "$work/dev.$lang"
    done
  fi
  # Bootstrap links see the training text alone; the baseline of the results table sees the test text too, as is usual.
  eflomal all
  python "$common/split_bitext.py" "$work" "$src" "$tgt" --valid 500 --seed 1
  cat "$work/all.$src" "$work/test.$src" > "$work/with-test.$src"
  cat "$work/all.$tgt" "$work/test.$tgt" > "$work/with-test.$tgt"
  eflomal with-test
  lines="$(wc -l < "$work/test.gold")"
  for direction in fwd rev; do
    tail -n "$lines" "$work/with-test.$direction" > "$work/test.eflomal.$direction"
  done
  tail -n "$lines" "$work/with-test.links" > "$work/test.eflomal.gdfa"
  xalign score --hyp "$work/test.eflomal.gdfa" --gold "$work/test.gold" --json > "$work/eflomal.json"
  rm -rf "$work"/raw "$work"/with-test.* "$work"/all.*
  mv "$work" "$out/$pair"
  echo "$pair: $(wc -l < "$out/$pair/train.$src") training pairs in $out/$pair"
done
