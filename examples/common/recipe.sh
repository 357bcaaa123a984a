# Shared by the scripts of the recipes, which source it.
# shellcheck shell=bash disable=SC2034 # they read what is set here

# Prints the comment at the head of a script, and exits.
usage() {
  awk 'NR == 1 { next } !/^#/ { exit } { sub(/^# ?/, ""); print }' "$0" >&2
  exit 2
}

# What is given on the command line or in the environment must be there before anything is started.
require_file() { # WHAT FILE
  [[ -e "$2" ]] || { echo "error: $1: there is no file '$2'" >&2; exit 2; }
}

# Sets `benchmark`, the folder with assemble.py and what it reads: BENCHMARK, otherwise ../shared/data next to this
# repository.
choose_benchmark() {
  benchmark="${BENCHMARK:-$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/../../../shared/data}"
  as_paths benchmark
  [[ -f "$benchmark/assemble.py" ]] || { echo "error: no assemble.py in $benchmark; set BENCHMARK" >&2; exit 2; }
}

# Paths of the command line, by the names of their variables, as no program takes them for anything else: -x is no option
# then, and lang=de/text no assignment of awk. One that is empty or not set stays so.
as_paths() { # NAME ...
  local name
  for name in "$@"; do
    [[ -z "${!name:-}" || "${!name}" == /* ]] || printf -v "$name" './%s' "${!name}"
  done
}

# Saves the start of fairseq-train, which would leave a finished run as it is. The line of an epoch is logged after the
# last checkpoint was written, that of a validation before.
finished() { # SAVE_DIR UPDATES
  grep -qs "| num_updates $2 | lr " "$1/train.log" && echo "$1 has its $2 updates already"
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

# Links training and validation text together by `engine`, which knows more the more it reads, and takes the links
# apart: FOLDER/{train,valid}.symmetrized.links; FOLDER/symmetrized.json says how they came to be.
link_splits() { # FOLDER SRC TGT [option of xalign links ...]
  local folder="$1" src="$2" tgt="$3" all lang pairs
  shift 3
  as_paths folder
  all="$folder/.all"
  [[ ! -e "$folder/symmetrized.json" ]] || return 0 # it is written last
  for lang in "$src" "$tgt"; do
    awk 1 "$folder/train.$lang" "$folder/valid.$lang" > "$all.$lang" # ends a last line that has no end
  done
  xalign links --src "$all.$src" --tgt "$all.$tgt" --out "$all.links" --engine "$engine" \
    --symmetrize grow-diag-final-and --overwrite "$@"
  pairs="$(awk 'END { print NR }' "$folder/train.$src")"
  head -n "$pairs" "$all.links" > "$folder/train.symmetrized.links"
  tail -n "+$((pairs + 1))" "$all.links" > "$folder/valid.symmetrized.links"
  mv "$all.links.json" "$folder/symmetrized.json"
  rm "$all".*
}

# The run has left a checkpoint, or a log of one: it did not end at once, at a wrong option.
started() { # SAVE_DIR
  grep -qs "| num_updates " "$1/train.log" || [[ -n "$(find "$1" -maxdepth 1 -name 'checkpoint*.pt' -print -quit)" ]]
}

# Writes SAVE_DIR/run.json, what results files say of a run; that of a run that is resumed stays. Of the variables those
# that are set are before the command.
record_run() { # SAVE_DIR SETTING SEED DEVICE_OPTIONS "VARIABLE ..." SCRIPT [ARGUMENT ...]
  local names
  read -r -a names <<< "$5"
  [[ "${SLURM_PROCID:-0}" == 0 ]] || return 0 # of several processes the first one writes
  # PATH is there because export without a name lists all.
  if [[ ! -e "$1/run.json" ]] || ! started "$1"; then
    (export PATH "${names[@]}" && python "$(dirname -- "${BASH_SOURCE[0]}")/record_run.py" "$@")
  fi
}

# Fetches what download.py is asked for. With DRY=1 it says what it would fetch; with SAMPLE=N it fetches nothing and
# writes N made-up pairs of each pair (English with German or French), to try the steps. Made-up and real
# text have separate folders, so that neither is taken for the other or overwritten.
download() { # OUT PAIRS... of the form PAIR=CORPORA, then options of download.py
  if [[ -n "${SAMPLE:-}" ]]; then
    require_made_up "$1"
    sample_text "$@"
  else
    [[ ! -e "$1/.sample" ]] ||
      { echo "error: '$1' holds the made-up text of SAMPLE; next: give another folder, or remove it" >&2; return 2; }
    python "$(dirname -- "${BASH_SOURCE[0]}")/download.py" "$@" ${DRY:+--dry}
  fi
}

# Made-up data are written to a folder that is new or empty, or holds made-up data already.
require_made_up() { # OUT
  [[ -e "$1/.sample" || -z "$(ls -A "$1" 2> /dev/null)" ]] ||
    { echo "error: SAMPLE: '$1' holds something else; next: give a folder that is new or empty" >&2; exit 2; }
}

sample_text() { # OUT PAIR=CORPORA...: TEXT/PAIR/{train,valid}.LANG and TEXT/mono/LANG.txt
  local out="$1" given src tgt made split lang
  shift
  [[ -e "$out/.sample" ]] || xalign sample --out "$out/.sample" --pairs "$SAMPLE" --valid 50 --test 1 > /dev/null
  for given in "$@"; do
    [[ "$given" == *=* ]] || break
    given="${given%%=*}"
    src="${given%-*}" tgt="${given#*-}"
    made="$out/.sample/en-$([[ "$src" == en ]] && echo "$tgt" || echo "$src")"
    [[ -d "$made" ]] || { echo "error: there is no sample of $given; next: give de-en or en-fr after TEXT" >&2; return 2; }
    mkdir -p "$out/$given" "$out/mono"
    for lang in "$src" "$tgt"; do
      for split in train valid; do
        cp "$made/$split.$lang" "$out/$given/$split.$lang"
      done
      cp "$out/.sample/mono/train.$lang" "$out/mono/$lang.txt"
    done
  done
}

# Training pairs of a data-bin, of all its language pairs or of one.
count_pairs() { # DATA_BIN [PAIR]
  python - "$@" <<'END'
import sys

from xalign_fairseq.core.errors import XalignError, exit_code
from xalign_fairseq.data.databin import DataBin


def main():
    data = DataBin(sys.argv[1])
    pairs = [name.partition("-")[::2] for name in sys.argv[2:]] or data.language_pairs("train")
    count = sum(len(data.pair("train", *pair)[0]) for pair in pairs)
    if not count:
        raise XalignError("the data-bin has no training pairs", where=sys.argv[1])
    print(count)


sys.exit(exit_code(main))
END
}

# Sets `train`, the command that trains: fairseq-train, which uses all GPUs of a machine that it sees. With GPUS (of
# each node) scripts/torchrun.sh starts it (NODES, NODE and HOST: see there); under Slurm scripts/slurm/train.sbatch
# does.
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

# Sets `options`, those of fairseq-train in a YAML file, and UPDATES if it is not set.
read_options() { # YAML [SECTION.OPTION=VALUE ...]
  local words
  words="$(python "$(dirname -- "${BASH_SOURCE[0]}")/options.py" "$@")"
  mapfile -t options <<< "$words"
  UPDATES="${UPDATES:-${options[-1]}}"
}

# Trains with `options`, then SEED, UPDATES, DEVICE and INIT, then the given ones; a finished run is kept.
# SAVE_DIR/tensorboard has a curve for each objective: tensorboard --logdir SAVE_DIR.
train_run() { # DATA_BIN SAVE_DIR [fairseq-train option ...]
  local data="$1" save="$2" device
  shift 2
  if finished "$save" "$UPDATES"; then return; fi
  read -r -a device <<< "${DEVICE?}"
  choose_launcher
  "${train[@]}" "$data" --user-dir "$(xalign user-dir)" "${options[@]}" ${INIT:+--init-checkpoint "$INIT"} \
    --total-num-update "$UPDATES" --max-update "$UPDATES" --seed "${SEED:?}" "${device[@]}" \
    --save-dir "$save" --log-file "$save/train.log" --tensorboard-logdir "$save/tensorboard" "$@"
}
