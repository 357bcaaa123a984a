#!/usr/bin/env bash
# Word-exchange pre-training of one language pair; running it again resumes, a finished run is left as it is.
#
#   INIT=xlmr.base/model.pt bash 2_train.sh DATA_BIN SAVE_DIR SETTING PAIR [fairseq-train option ...]
#
# Settings (Yang et al. 2021), with the paper's hyper-parameters; INIT is the checkpoint to start from:
#   weam        TLM + word exchange by prepared links   (Eq. 11)
#   weam_self   TLM + word exchange by links of the model itself; not in the paper
#   tlm         TLM alone, the paper's baseline
# UPDATES (two epochs: 2 x training pairs of the data-bin / 32, rounded up), WARMUP (a tenth of them), BATCH (32) pairs
# on each GPU and UPDATE_FREQ (1), 32 in all: BATCH=$((32 / N)) on N. SEED (1), ARCH (xalign_base), DEVICE (--fp16;
# without: --cpu).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common/recipe.sh"
[[ $# -ge 4 ]] || { sed -n '2,12p' "$0" >&2; exit 2; }
require_file "INIT, the checkpoint to start from (xlmr.base/model.pt)" "${INIT:-}"
data="$1" save="$2" setting="$3" pair="$4"
shift 4
case "$setting" in
  weam) options=(--objectives tlm,word_exchange) ;;
  weam_self) options=(--objectives tlm,word_exchange --word-exchange-links self) ;;
  tlm) options=(--objectives tlm) ;;
  *) echo "error: unknown setting $setting; expected weam, weam_self or tlm" >&2; exit 2 ;;
esac
if [[ -z "${UPDATES:-}" ]]; then
  count='import sys
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.core.errors import XalignError
src, _, tgt = sys.argv[2].partition("-")
try:
    print(len(DataBin(sys.argv[1]).pair("train", src, tgt)[0]))
except XalignError as error:
    print(f"error: {error}", file=sys.stderr)
    sys.exit(2)'
  pairs="$(python -c "$count" "$data" "$pair")"
  UPDATES="$(((2 * pairs + 31) / 32))" # fairseq takes 0 for no end
fi
: "${WARMUP:=$((UPDATES / 10))}" "${SEED:=1}" "${DEVICE:=--fp16}"

mkdir -p "$save"
record_run "$save" "$setting" "$SEED" "$DEVICE" "UPDATES WARMUP BATCH UPDATE_FREQ SEED ARCH DEVICE" \
  2_train.sh DATA_BIN SAVE_DIR "$setting" "$pair" "$@"
if finished "$save" "$UPDATES"; then exit; fi
read -r -a device <<< "$DEVICE"
choose_launcher
"${train[@]}" "$data" --user-dir "$(xalign user-dir)" --task xalign_pretraining --lang-pairs "$pair" \
  --max-pair-length 128 --mask-prob 0.3 \
  --arch "${ARCH:-xalign_base}" --init-checkpoint "$INIT" --dropout 0.1 --attention-dropout 0.1 \
  --criterion weam --loss-normalization joint \
  --optimizer adam --adam-betas '(0.9, 0.999)' --weight-decay 0.01 --clip-norm 1.0 \
  --lr 5e-5 --lr-scheduler polynomial_decay --warmup-updates "$WARMUP" --total-num-update "$UPDATES" \
  --max-update "$UPDATES" --batch-size "${BATCH:-32}" --update-freq "${UPDATE_FREQ:-1}" --seed "$SEED" \
  --no-epoch-checkpoints --save-interval-updates 5000 --keep-interval-updates 1 --log-format simple --log-interval 100 \
  --save-dir "$save" --log-file "$save/train.log" --tensorboard-logdir "$save/tensorboard" \
  "${options[@]}" "${device[@]}" "$@"
