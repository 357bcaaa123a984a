#!/usr/bin/env bash
# Continue a pre-trained encoder on bitext with one setting and seed; run it again to resume; a finished run is kept.
#
#   bash 1_train.sh DATA_BIN ENCODER RUNS SETTING SEED [fairseq-train option ...]
#
# ENCODER: checkpoint to continue. Every setting sees the same batches for the same number of updates:
#   tlm, tlm30       TLM; with 30 % of the tokens masked, as in WEAM
#   linear_mapping   a map per layer and language, encoder frozen              (Wu & Dredze 2020)
#   l2               L2 alignment, parameters kept close                       (Wu & Dredze 2020)
#   l2_hidden        L2 alignment, hidden states of English kept close         (Cao et al. 2020)
#   weak, strong     contrastive alignment of words, parameters kept close     (Wu & Dredze 2020)
#   ppa              MoCo + TLM                                                (Pan et al. 2021)
#   moco             MoCo alone: PPA without TLM
#   ppa_mlm          PPA with MLM on each side instead of TLM
#   ppa_mean         PPA with mean-pooling
#   weam             TLM + word exchange                                       (Yang et al. 2021)
# Options: small.yaml. PAIR (de-en), UPDATES (400), MAX_TOKENS (4096), LR (5e-4), QUEUE (2000), ARCH
# (xalign_tiny), DEVICE (--cpu; for a GPU --bf16 and larger sizes).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
[[ $# -ge 5 ]] || usage
data="$1" encoder="$2" runs="$3" setting="$4" seed="$5"
as_paths data encoder runs
shift 5
save="$runs/$setting-$seed"
[[ "$seed" =~ ^[0-9]+$ ]] || { echo "error: SEED is '$seed', not a number" >&2; exit 2; }
require_file "ENCODER, the checkpoint to continue" "$encoder"
queue=()
case "$setting" in
  tlm) change=() ;;
  tlm30) change=(task.mask_prob=0.3) ;;
  linear_mapping) change=(criterion._name=linear_mapping) ;;
  l2) change=(criterion._name=explicit_alignments "criterion.objectives='l2_align,reg_param'") ;;
  l2_hidden) change=(criterion._name=explicit_alignments "criterion.objectives='l2_align,reg_hidden'") ;;
  weak | strong) change=(criterion._name=explicit_alignments "criterion.word_contrastive_negatives=$setting") ;;
  ppa) change=() ;;
  moco) change=(criterion.objectives=moco) ;;
  ppa_mlm) change=("criterion.objectives='moco,sentence_mlm'") ;;
  ppa_mean) change=(criterion.moco_pooling=mean) ;;
  weam) change=(criterion._name=weam task.mask_prob=0.3) ;;
  *) echo "error: unknown setting $setting; expected one of those that $0 lists without arguments" >&2; exit 2 ;;
esac
if [[ "$setting" == ppa* || "$setting" == moco ]]; then
  change=(criterion._name=ppa criterion.moco_queue_size=2000 "${change[@]}")
  queue=(${QUEUE:+--moco-queue-size "$QUEUE"})
fi
read_options "$here/small.yaml" "${change[@]}"
: "${PAIR:=de-en}" "${DEVICE:=--cpu}"
mkdir -p "$save"
record_run "$save" "$setting" "$seed" "$DEVICE" "PAIR UPDATES MAX_TOKENS LR QUEUE ARCH DEVICE" \
  1_train.sh DATA_BIN ENCODER RUNS "$setting" "$seed" "$@"
SEED="$seed" INIT="$encoder"
train_run "$data" "$save" --lang-pairs "$PAIR" --warmup-updates "$((UPDATES / 10))" ${LR:+--lr "$LR"} \
  ${MAX_TOKENS:+--max-tokens "$MAX_TOKENS"} ${ARCH:+--arch "$ARCH"} "${queue[@]}" "$@"
