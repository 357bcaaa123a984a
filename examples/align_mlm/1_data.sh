#!/usr/bin/env bash
# Make English text, languages derived from it, labelled data in both, and the data-bins of all runs.
#
#   bash 1_data.sh BENCHMARK OUT
#
# BENCHMARK: the folder with bitext/ and eval/. VOCAB (1000; on a GPU 40000): pieces; the derived script doubles them.
# NER (3000): sentences to train on and to test. WHOLE=1: use the full training and validation sets that 0_download.sh
# fetched (UD, WikiANN, MultiNLI), for studies/paper.yaml. PARSES: CoNLL-U of OUT/text/english.txt from 0_parse.sh; the
# parser.pt next to it parses the sentences of NER and XNLI. Without PARSES there is no trans_syn. SEED (1),
# WORKERS (2). Needs: pip install ".[recipes]". Existing files are kept. Writes
#   OUT/text/english.txt      sentences of 3 to 60 words in random order (300,000 with the benchmark); the last 2,000
#                             are for validation
#   OUT/labelled              English files of the tasks
#   OUT/derived/LANGUAGE      both sides of the text with exact links; labelled files in both languages; script, lexicon
#   OUT/data/LANGUAGE[...]    data-bins: trans, trans_inv, trans_syn; for trans_inv also .overlap25, .overlap50,
#                             .parallel1, .parallel10, .parallel100; for trans_inv and trans_syn also .dictionary50
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
[[ $# -eq 2 ]] || usage
benchmark="$1" out="$2"
as_paths benchmark out
require_file "BENCHMARK/bitext" "$benchmark/bitext"
require_file "BENCHMARK/eval" "$benchmark/eval"
: "${SEED:=1}" "${WORKERS:=2}" "${PARSES:=}"
as_paths PARSES
[[ -z "$PARSES" ]] || require_file "PARSES, CoNLL-U of the text" "$PARSES"
english="$out/text/english.txt"
held_out=2000

# Train tasks on data that is free to share: UD's development set, WikiAnn's training set, XNLI's development set. With
# WHOLE, train on the paper's data.
splits=(train test)
declare -A ud=([train]=dev [test]=test) panx=([train]=train [test]=dev) xnli=([train]=dev)
if [[ -n "${WHOLE:-}" ]]; then
  splits=(train valid test)
  ud=([train]=train [valid]=dev [test]=test) xnli=([train]=train [valid]=dev)
  panx=([train]=train [valid]=dev [test]=test)
  require_file "WHOLE: MultiNLI's training set (0_download.sh fetches it)" "$benchmark/eval/xnli/train-en.tsv"
  require_file "WHOLE: UD's training set (0_download.sh fetches it)" "$benchmark/eval/ud/en_ewt-ud-train.conllu.gz"
fi

copy_labelled() { # FOLDER: copy the English files under the names in studies/*.yaml
  local eval="$benchmark/eval" split
  mkdir -p "$1"
  for split in "${splits[@]}"; do
    gzip -dc "$eval/ud/en_ewt-ud-${ud[$split]}.conllu.gz" > "$1/pos-$split.en.conllu"
    awk -v RS= -v ORS='\n\n' -v most="${NER:-3000}" 'NR <= most' "$eval/panx/${panx[$split]}-en.tsv" \
      > "$1/ner-$split.en.tsv"
    [[ "$split" == test ]] || cp --no-preserve=mode "$eval/xnli/${xnli[$split]}-en.tsv" "$1/nli-$split.en.tsv"
  done
  paste "$eval/xnli/test-en.tsv" "$eval/xnli/test.labels" > "$1/nli-test.en.tsv"
}

derive() { # LANGUAGE STEPS TEXT [xalign derive option ...]: derive text and labelled files in one call
  local folder="$out/derived/$1" work="$out/derived/.$1" steps="$2" text="$3" labelled="$out/labelled" task split file
  [[ ! -e "$folder" ]] || return 0
  shift 3
  local options=()
  for split in "${splits[@]}"; do
    options+=(--conllu "pos-$split=$labelled/pos-$split.en.conllu")
    for task in ner nli; do
      # Re-ordering these needs their trees too.
      if [[ "$steps" != *syntax* || -e "$labelled/$task-train.en.conllu" ]]; then
        options+=("--$task" "$task-$split=$labelled/$task-$split.en.tsv")
      fi
    done
  done
  rm -rf "$work"
  xalign derive --out "$work" --steps "$steps" --spm "$out/vocabulary/sentencepiece.model" --seed "$SEED" \
    --text "english=$text" "${options[@]}" "$@"
  for file in "$labelled"/*.en.*; do # NLI's English already exists, split into words
    [[ -e "$work/${file##*/}" ]] || cp "$file" "$work"
  done
  mv "$work" "$folder"
}

parse_labelled() { # parse NER's sentences and XNLI's pairs with the parser that made PARSES
  local parser split file
  parser="$(dirname "$PARSES")/parser.pt"
  [[ -e "$parser" ]] || { echo "no NER and no XNLI in trans_syn: there is no $parser"; return 0; }
  for split in "${splits[@]}"; do
    file="$out/labelled/ner-$split.en"
    if [[ ! -e "$file.conllu" ]]; then
      awk -F '\t' 'NF { line = line (line == "" ? "" : " ") $1 } !NF { print line; line = "" }' "$file.tsv" > "$file.txt"
      python "$here/parse_text.py" parse "$parser" "$file.txt" "$file.conllu"
      rm "$file.txt"
    fi
    file="$out/labelled/nli-$split.en"
    [[ -e "$file.conllu" ]] || python "$here/parse_text.py" parse "$parser" "$file.tsv" "$file.conllu" --pairs
  done
}

prepare() { # DATA_BIN LANGUAGE PARALLEL: text of both languages; the first PARALLEL % of it are pairs
  local bin="$out/data/$1" folder="$out/derived/$2" percent="$3" work="$out/data/.$1" lang total
  [[ ! -e "$bin" ]] || return 0
  rm -rf "$work"
  mkdir -p "$work"
  total=$(($(wc -l < "$folder/english.en-xx.en") - held_out))
  for lang in en xx links; do
    head -n "$total" "$folder/english.en-xx.$lang" > "$work/text.$lang"
    head -n "$((total * percent / 100))" "$work/text.$lang" > "$work/train.$lang"
    tail -n "$held_out" "$folder/english.en-xx.$lang" > "$work/valid.$lang"
  done
  xalign prepare --out "$bin" --spm "$folder/sentencepiece.model" --dict "$folder/dict.txt" --workers "$WORKERS" \
    --pair en-xx --trainpref "$work/train" --validpref "$work/valid" --links "$work/valid.links" \
    --mono "en=$work/text.en" --mono "xx=$work/text.xx" \
    --mono-valid "en=$work/valid.en" --mono-valid "xx=$work/valid.xx"
  rm -rf "$work"
}

lexicon() { # DATA_BIN LANGUAGE FRACTION
  local bin="$out/data/$1"
  [[ ! -e "$bin/lexicon.en-xx.json" ]] || return 0 # it is written last
  xalign lexicon "$bin" --pair en-xx --from "$out/derived/$2/lexicon.en-xx.tsv" --pieces --fraction "$3" \
    --held-out 0.1 --seed "$SEED"
}

more_entries() { # LANGUAGE: the same data with half of the dictionary
  local bin="$out/data/$1.dictionary50"
  if [[ ! -e "$bin" ]]; then
    rm -rf "$bin.part"
    mkdir "$bin.part"
    find "$out/data/$1" -type f ! -name 'lexicon.*' -exec ln -t "$bin.part" {} +
    mv "$bin.part" "$bin"
  fi
  lexicon "$1.dictionary50" "$1" 0.5
}

mkdir -p "$out/text" "$out/data"
[[ -e "$english" ]] || python "$here/english_text.py" "$benchmark/bitext" "$english" --seed "$SEED"
if [[ ! -e "$out/labelled" ]]; then
  copy_labelled "$out/.labelled" # not before &&, where a missing file would not stop it
  mv "$out/.labelled" "$out/labelled"
fi
if [[ ! -e "$out/vocabulary" ]]; then
  head -n "-$held_out" "$english" > "$out/text/.train"
  xalign prepare --out "$out/vocabulary" --mono "en=$out/text/.train" --vocab-size "${VOCAB:-1000}" --seed "$SEED" \
    --workers "$WORKERS"
  rm "$out/text/.train"
fi

languages=(trans_inv trans)
derive trans_inv inversion,script "$english"
derive trans script "$english"
if [[ -n "$PARSES" ]]; then
  parse_labelled
  derive trans_syn syntax,script "$PARSES" --towards "$benchmark"/eval/ud/fr_gsd-ud-{dev,test}.conllu.gz
  languages+=(trans_syn)
else
  echo "no trans_syn: PARSES is not set; next: bash 0_parse.sh"
fi
for overlap in 25 50; do
  derive "trans_inv.overlap$overlap" inversion,script "$english" --overlap "$overlap"
done

for language in "${languages[@]}"; do
  prepare "$language" "$language" 25
  lexicon "$language" "$language" 0.25
done
for language in "${languages[@]}"; do
  [[ "$language" == trans ]] || more_entries "$language"
done
for overlap in 25 50; do
  prepare "trans_inv.overlap$overlap" "trans_inv.overlap$overlap" 25
  lexicon "trans_inv.overlap$overlap" "trans_inv.overlap$overlap" 0.25
done
for parallel in 1 10 100; do
  prepare "trans_inv.parallel$parallel" trans_inv "$parallel"
  lexicon "trans_inv.parallel$parallel" trans_inv 0.25
done
