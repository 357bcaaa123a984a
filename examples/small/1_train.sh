#!/usr/bin/env bash
# Continue a pre-trained encoder on bitext with one setting and seed; running it again resumes, a finished run stays.
#
#   bash 1_train.sh DATA_BIN ENCODER RUNS SETTING SEED [fairseq-train option ...]
#
# ENCODER: checkpoint to continue. Every setting sees the same batches for the same number of updates:
#   tlm, tlm30       TLM alone; with 30 % of the tokens masked, as WEAM masks them
#   linear_mapping   a map per layer and language, encoder frozen              (Wu & Dredze 2020)
#   l2               L2 alignment, parameters kept close                       (Wu & Dredze 2020)
#   l2_hidden        L2 alignment, hidden states of English kept close         (Cao et al. 2020)
#   weak, strong     contrastive alignment of words, parameters kept close     (Wu & Dredze 2020)
#   ppa              MoCo + TLM                                                (Pan et al. 2021)
#   moco             MoCo alone: PPA without TLM
#   ppa_mlm          MoCo + MLM on the sides of each pair: PPA with MLM in place of TLM
#   ppa_mean         PPA with mean-pooling
#   weam             TLM + word exchange                                       (Yang et al. 2021)
# PAIR (de-en), UPDATES (400), MAX_TOKENS (4096), LR (5e-4), QUEUE (2000), ARCH (xalign_tiny), DEVICE (--cpu; for a GPU
# --bf16 and larger sizes).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common/recipe.sh"
[[ $# -ge 5 ]] || usage
data="$1" encoder="$2" runs="$3" setting="$4" seed="$5"
as_paths data encoder runs
shift 5
save="$runs/$setting-$seed"
: "${PAIR:=de-en}" "${UPDATES:=400}" "${DEVICE:=--cpu}"
[[ "$seed" =~ ^[0-9]+$ ]] || { echo "error: SEED is '$seed', not a number" >&2; exit 2; }
require_file "ENCODER, the checkpoint to continue" "$encoder"
case "$setting" in
  tlm) options=(--criterion tlm) ;;
  tlm30) options=(--criterion tlm --mask-prob 0.3) ;;
  linear_mapping) options=(--criterion linear_mapping) ;;
  l2) options=(--criterion explicit_alignments --objectives "l2_align,reg_param") ;;
  l2_hidden) options=(--criterion explicit_alignments --objectives "l2_align,reg_hidden") ;;
  weak) options=(--criterion explicit_alignments --word-contrastive-negatives weak) ;;
  strong) options=(--criterion explicit_alignments --word-contrastive-negatives strong) ;;
  ppa) options=(--criterion ppa --moco-queue-size "${QUEUE:-2000}") ;;
  moco) options=(--criterion ppa --objectives moco --moco-queue-size "${QUEUE:-2000}") ;;
  ppa_mlm) options=(--criterion ppa --objectives "moco,sentence_mlm" --moco-queue-size "${QUEUE:-2000}") ;;
  ppa_mean) options=(--criterion ppa --moco-pooling mean --moco-queue-size "${QUEUE:-2000}") ;;
  weam) options=(--criterion weam --mask-prob 0.3) ;;
  *) echo "error: unknown setting $setting; expected one of those that $0 lists without arguments" >&2; exit 2 ;;
esac
mkdir -p "$save"
record_run "$save" "$setting" "$seed" "$DEVICE" "PAIR UPDATES MAX_TOKENS LR QUEUE ARCH DEVICE" \
  1_train.sh DATA_BIN ENCODER RUNS "$setting" "$seed" "$@"
if finished "$save" "$UPDATES"; then exit; fi
read -r -a device <<< "$DEVICE"
choose_launcher
"${train[@]}" "$data" --user-dir "$(xalign user-dir)" --task xalign_pretraining --lang-pairs "$PAIR" \
  --arch "${ARCH:-xalign_tiny}" --max-positions 256 --init-checkpoint "$encoder" --loss-normalization per-objective \
  --optimizer adam --adam-betas '(0.9, 0.98)' --adam-eps 1e-6 --clip-norm 1.0 --lr "${LR:-5e-4}" \
  --lr-scheduler polynomial_decay --warmup-updates "$((UPDATES / 10))" --total-num-update "$UPDATES" \
  --max-update "$UPDATES" --max-tokens "${MAX_TOKENS:-4096}" --seed "$seed" --disable-validation \
  --no-epoch-checkpoints --save-interval-updates 200 --keep-interval-updates 1 --log-format simple --log-interval 20 \
  --num-workers 1 --save-dir "$save" --log-file "$save/train.log" --tensorboard-logdir "$save/tensorboard" "${options[@]}" "$@" "${device[@]}"
