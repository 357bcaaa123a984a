#!/usr/bin/env bash
# Align an encoder explicitly; running it again resumes, a finished run is left as it is.
#
#   INIT=xlmr.base/model.pt bash 2_train.sh DATA_BIN SAVE_DIR SETTING [option ...]
#
# Settings (Wu & Dredze 2020), with the paper's hyper-parameters; INIT is the checkpoint to start from:
#   linear_mapping   a map per layer and language by gradient descent, encoder frozen   (Eq. 1 and 2)
#   procrustes       the same maps in closed form, by xalign procrustes                 (Eq. 1)
#   l2               L2 alignment, parameters kept close                                (Eq. 6)
#   l2_hidden        L2 alignment, hidden states of English kept close                  (Eq. 3 and 4, Cao et al. 2020)
#   weak, strong     contrastive alignment of words, parameters kept close              (Eq. 7 or 8, and 5)
# Options are fairseq-train's (procrustes: those of xalign procrustes). UPDATES (100000; linear_mapping 20000), WARMUP
# (4000; linear_mapping 0). BATCH (128) pairs on each GPU and UPDATE_FREQ (1) micro-batches make an update, which has
# 128 pairs in the paper: on N GPUs give BATCH=$((128 / N)). The negatives of weak and strong are the words of all GPUs,
# but of one micro-batch, so these want UPDATE_FREQ=1. SEED (1), ARCH (xalign_base), DEVICE (--fp16; linear_mapping
# --memory-efficient-fp16; without a GPU --cpu).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common/recipe.sh"
[[ $# -ge 3 ]] || { sed -n '2,16p' "$0" >&2; exit 2; }
require_file "INIT, the checkpoint to start from (xlmr.base/model.pt)" "${INIT:-}"
data="$1" save="$2" setting="$3"
shift 3
sizes="UPDATES WARMUP BATCH UPDATE_FREQ SEED ARCH DEVICE"
case "$setting" in
  linear_mapping)
    # The maps change between updates, which a float32 copy of them in the optimiser would undo.
    : "${UPDATES:=20000}" "${WARMUP:=0}" "${DEVICE:=--memory-efficient-fp16}"
    options=(--criterion linear_mapping --linear-mapping-beta 0.01)
    ;;
  procrustes) sizes="" ;;
  l2) options=(--criterion explicit_alignments --objectives l2_align,reg_param) ;;
  l2_hidden) options=(--criterion explicit_alignments --objectives l2_align,reg_hidden) ;;
  weak | strong)
    options=(--criterion explicit_alignments --word-contrastive-negatives "$setting" --word-contrastive-gather)
    ;;
  *)
    echo "error: unknown setting $setting; expected linear_mapping, procrustes, l2, l2_hidden, weak or strong" >&2
    exit 2
    ;;
esac
: "${UPDATES:=100000}" "${WARMUP:=4000}" "${SEED:=1}" "${DEVICE:=--fp16}"

mkdir -p "$save"
record_run "$save" "$setting" "$SEED" "$DEVICE" "$sizes" \
  2_train.sh DATA_BIN SAVE_DIR "$setting" "$@"
if [[ "$setting" == procrustes ]]; then
  last="$save/checkpoint_last.pt"
  [[ -e "$last" ]] || xalign procrustes --model "$INIT" --data "$data" --out "$last" "$@"
  exit
fi
if finished "$save" "$UPDATES"; then exit; fi
read -r -a device <<< "$DEVICE"
choose_launcher
"${train[@]}" "$data" --user-dir "$(xalign user-dir)" --task xalign_pretraining --max-sentence-length 96 \
  --length-bucket-width 0 \
  --arch "${ARCH:-xalign_base}" --init-checkpoint "$INIT" --dropout 0.1 --attention-dropout 0.1 \
  --loss-normalization per-objective --optimizer adam --adam-betas '(0.9, 0.999)' --weight-decay 0 --clip-norm 1.0 \
  --lr 1e-4 --lr-scheduler polynomial_decay --warmup-updates "$WARMUP" --total-num-update "$UPDATES" \
  --max-update "$UPDATES" --batch-size "${BATCH:-128}" --update-freq "${UPDATE_FREQ:-1}" --seed "$SEED" \
  --no-epoch-checkpoints --save-interval-updates 5000 --keep-interval-updates 1 --log-format simple --log-interval 100 \
  --save-dir "$save" --log-file "$save/train.log" --tensorboard-logdir "$save/tensorboard" \
  "${options[@]}" "${device[@]}" "$@"
