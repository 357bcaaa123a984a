# Functions for the scripts of the recipes, which source this file.
# shellcheck shell=bash disable=SC2034 # the scripts read the variables set here

[[ -z "${DRY:-}" ]] || unset SAMPLE # DRY=1 writes nothing

# Prints the header comment of a script, and exits.
usage() {
  awk 'NR == 1 { next } !/^#/ { exit } { sub(/^# ?/, ""); print }' "$0" >&2
  exit 2
}

# Checks that the first N arguments are there, and that none of them is an option instead.
need() { # N [ARGUMENT ...]
  local count="$1" each
  shift
  [[ $# -ge $count ]] || usage
  for each in "${@:1:count}"; do
    [[ "$each" != --* ]] || { echo "error: the option $each is in the place of an argument" >&2; usage; }
  done
}

# Checks an input before any work starts.
require_file() { # WHAT FILE
  [[ -e "$2" ]] || { echo "error: $1: there is no file '$2'" >&2; exit 2; }
}

# Sets `benchmark`, the folder with these parts: BENCHMARK, otherwise ../shared/data next to this repository.
choose_benchmark() { # PART ...
  local part
  benchmark="${BENCHMARK:-$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/../../../shared/data}"
  as_paths benchmark
  for part in "$@"; do
    [[ -e "$benchmark/$part" ]] || { echo "error: no $part in $benchmark; set BENCHMARK" >&2; exit 2; }
  done
}

# Puts ./ before relative paths, given by the names of their variables, so that programs do not take -x for an option or
# lang=de/text for an assignment of awk. Empty and unset variables stay as they are.
as_paths() { # NAME ...
  local name
  for name in "$@"; do
    [[ -z "${!name:-}" || "${!name}" == /* || "${!name}" == ./* ]] || printf -v "$name" './%s' "${!name}"
  done
}

# Whether the run has all its updates; this saves the start of fairseq-train. The line of an epoch is logged after the
# last checkpoint is written, the line of a validation before.
finished() { # SAVE_DIR UPDATES
  grep -qs "\"train_num_updates\": \"$2\"" "$1/train.log" && echo "$1 already has its $2 updates, by the command in $1/run.json"
}

# Sets `vocabulary`, options of xalign prepare: the tokenizer of the model TOKENIZER, or the model and dictionary SPM
# and DICT, otherwise a new vocabulary.
choose_vocabulary() { # PIECES
  as_paths TOKENIZER SPM DICT
  vocabulary=(--vocab-size "${VOCAB:-$1}")
  if [[ -n "${TOKENIZER:-}" ]]; then
    [[ -z "${SPM:-}${DICT:-}" ]] ||
      { echo "error: give TOKENIZER, or SPM and DICT, not both" >&2; exit 2; }
    require_file "TOKENIZER, a checkpoint or a Hugging Face folder" "$TOKENIZER"
    vocabulary=(--tokenizer "$TOKENIZER")
  elif [[ -n "${SPM:-}" ]]; then
    require_file SPM "$SPM"
    require_file "DICT, the dictionary that belongs to SPM" "${DICT:-}"
    vocabulary=(--spm "$SPM" --dict "$DICT")
  fi
}

# Sets `engine` of xalign links: ENGINE, or fast_align if it is on PATH, otherwise eflomal.
choose_engine() {
  engine="${ENGINE:-$(command -v fast_align > /dev/null && echo fast_align || echo eflomal)}"
}

# Links training and validation text together with `engine`, which improves with more text, and splits the links:
# FOLDER/{train,valid}.symmetrized.links; FOLDER/symmetrized.json records how they were made. Links of this text,
# engine and options are kept.
link_splits() { # FOLDER SRC TGT [option of xalign links ...]
  local folder="$1" src="$2" tgt="$3" all lang pairs made
  shift 3
  as_paths folder
  all="$folder/.all"
  for lang in "$src" "$tgt"; do
    require_file "the text of $src-$tgt" "$folder/train.$lang"
  done
  made="$(cat "$folder"/{train,valid}.{"$src","$tgt"} | cksum) $engine $*"
  [[ "$(cat "$folder/symmetrized.of" 2> /dev/null)" != "$made" ]] || return 0
  rm -f "$folder/symmetrized.of" # written last
  for lang in "$src" "$tgt"; do
    awk 1 "$folder/train.$lang" "$folder/valid.$lang" > "$all.$lang" # adds a missing newline at the end
  done
  xalign links --src "$all.$src" --tgt "$all.$tgt" --out "$all.links" --engine "$engine" \
    --symmetrize grow-diag-final-and --overwrite --quiet "$@"
  pairs="$(awk 'END { print NR }' "$folder/train.$src")"
  head -n "$pairs" "$all.links" > "$folder/train.symmetrized.links"
  tail -n "+$((pairs + 1))" "$all.links" > "$folder/valid.symmetrized.links"
  mv "$all.links.json" "$folder/symmetrized.json"
  echo "the counts are in $folder/symmetrized.json"
  rm "$all".*
  echo "$made" > "$folder/symmetrized.of"
}

# Writes SAVE_DIR/run.json, the record for results files, or keeps that of a resumed run of this setting. The recorded
# command starts with the variables that are set, and the last two parts of INIT's path.
record_run() { # SAVE_DIR SETTING SEED DEVICE_OPTIONS "VARIABLE ..." SCRIPT [ARGUMENT ...]
  local names
  read -r -a names <<< "$5"
  [[ "${SLURM_PROCID:-0}" == 0 ]] || return 0 # the first process writes
  # Without a name, export would list all variables: hence PATH.
  (export PATH "${names[@]}" && python "$(dirname -- "${BASH_SOURCE[0]}")/record_run.py" "$@")
}

# Fetches files with download.py. DRY=1 only lists them; SAMPLE=N fetches nothing and writes N synthetic pairs
# for each language pair (English with German or French), to try the steps. Synthetic and real text have separate folders,
# so that neither is mistaken for the other or overwritten.
download() { # OUT PAIR=CORPORA... [option of download.py ...]
  if [[ -n "${SAMPLE:-}" ]]; then
    require_synthetic "$1"
    sample_text "$@"
  else
    [[ ! -e "$1/.synthetic" ]] ||
      { echo "error: '$1' holds the synthetic text of SAMPLE; next: give another folder, or remove it" >&2; return 2; }
    python "$(dirname -- "${BASH_SOURCE[0]}")/download.py" "$@" ${DRY:+--dry}
  fi
}

# Like download, with a model (MODEL, default mbert). Writes OUT/mbert.pt of mBERT, and exits.
download_with_model() { # OUT PAIR=CORPORA... [option of download.py ...]
  local missing=0
  download "$@" --file "${MODEL:=mbert}" || missing=$?
  if [[ -z "${DRY:-}" && -e "$1/downloads/mbert/model.safetensors" && ! -e "$1/mbert.pt" ]]; then
    xalign import-hf --model "$1/downloads/mbert" --out "$1/mbert.pt"
  fi
  exit "$missing"
}

# Synthetic data need a new or empty folder, or one with as much synthetic data: .synthetic holds the number.
require_synthetic() { # OUT
  local marker="$1/.synthetic"
  [[ "$SAMPLE" =~ ^[1-9][0-9]*$ ]] || { echo "error: SAMPLE: '$SAMPLE' is not a number above 0" >&2; exit 2; }
  [[ -e "$marker" || -z "$(ls -A "$1" 2> /dev/null)" ]] ||
    { echo "error: SAMPLE: '$1' holds something else; next: give a folder that is new or empty" >&2; exit 2; }
  [[ ! -s "$marker" || "$(< "$marker")" == "$SAMPLE" ]] ||
    { echo "error: '$1' holds the synthetic data of SAMPLE=$(< "$marker"); next: give another folder, or remove it" >&2; exit 2; }
  mkdir -p "$1"
  echo "$SAMPLE" > "$marker"
}

sample_text() { # OUT PAIR=CORPORA...: TEXT/PAIR/{train,valid}.LANG and TEXT/mono/LANG.txt
  local out="$1" given src tgt made split lang
  shift
  [[ -e "$out/.sample" ]] ||
    xalign sample --out "$out/.sample" --pairs "$SAMPLE" --valid 50 --test 50 > /dev/null || return
  for given in "$@"; do
    [[ "$given" == *=* ]] || break
    given="${given%%=*}"
    src="${given%-*}" tgt="${given#*-}"
    made="$out/.sample/en-$([[ "$src" == en ]] && echo "$tgt" || echo "$src")"
    [[ -d "$made" && "-$given-" == *-en-* ]] ||
      { echo "error: there is no sample of $given; next: give de-en or en-fr after TEXT" >&2; return 2; }
    mkdir -p "$out/$given" "$out/mono"
    for lang in "$src" "$tgt"; do
      for split in train valid; do
        cp "$made/$split.$lang" "$out/$given/$split.$lang"
      done
      cp "$out/.sample/mono/train.$lang" "$out/mono/$lang.txt"
    done
  done
}

# Prints the number of training pairs in a data-bin, or in several joined by colons, of all language pairs or of one.
count_pairs() { # DATA_BIN [PAIR]
  python - "$@" <<'END'
import os
import sys

from xalign_fairseq.core.errors import XalignError, exit_code
from xalign_fairseq.data.databin import DataBin


def main():
    count = 0
    for data in [DataBin(folder) for folder in sys.argv[1].split(os.pathsep) if folder]:
        given = [("train", *name.partition("-")[::2]) for name in sys.argv[2:]]
        count += sum(len(data.pair(*pair)[0]) for pair in given or data.pairs if pair[0] == "train")
    if not count:
        raise XalignError("the data-bin has no training pairs", where=sys.argv[1])
    print(count)


sys.exit(exit_code(main))
END
}

# Sets `train`, the command that trains: fairseq-train, which uses all visible GPUs of a machine. With GPUS (per node),
# scripts/torchrun.sh starts it (NODES, NODE and HOST: see there); under Slurm, scripts/slurm/train.sbatch starts it.
choose_launcher() {
  train=(fairseq-train)
  if [[ -n "${DISTRIBUTED:-}" ]]; then
    local options
    read -r -a options <<< "$DISTRIBUTED"
    train+=("${options[@]}")
  elif [[ -n "${GPUS:-}" ]]; then
    train=("$(dirname -- "${BASH_SOURCE[0]}")/../../scripts/torchrun.sh" "$GPUS")
  fi
}

# Sets `options` to the fairseq-train options in a YAML file, and UPDATES if it is not set.
read_options() { # YAML [SECTION.OPTION=VALUE ...]
  local words
  words="$(python "$(dirname -- "${BASH_SOURCE[0]}")/options.py" "$@")"
  mapfile -t options <<< "$words"
  UPDATES="${UPDATES:-${options[-1]}}"
}

# Trains with `options`, then SEED, UPDATES, DEVICE and INIT, then the given options; keeps a finished run. The script
# ends here: the training replaces it, because Slurm signals all processes, and bash would die of SIGUSR1 (train.sbatch).
# SAVE_DIR/tensorboard has a curve for each objective: tensorboard --logdir SAVE_DIR.
train_run() { # DATA_BIN SAVE_DIR [fairseq-train option ...]
  local data="$1" save="$2" device
  shift 2
  if finished "$save" "$UPDATES"; then return; fi
  read -r -a device <<< "${DEVICE?}"
  choose_launcher
  exec "${train[@]}" "$data" --user-dir "$(xalign user-dir)" "${options[@]}" ${INIT:+--init-checkpoint "$INIT"} \
    --total-num-update "$UPDATES" --max-update "$UPDATES" --seed "${SEED:?}" "${device[@]}" \
    --save-dir "$save" --log-file "$save/train.log" --tensorboard-logdir "$save/tensorboard" "$@"
}
