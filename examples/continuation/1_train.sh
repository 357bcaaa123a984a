#!/usr/bin/env bash
# Continue a pre-trained encoder on bitext with one setting and seed; running it again resumes, a finished run stays.
#
#   bash 1_train.sh DATA_BIN ENCODER RUNS SETTING SEED [fairseq-train option ...]
#
# ENCODER: checkpoint to continue. Every setting sees the same batches for the same number of updates:
#   tlm              TLM alone
#   linear_mapping   a map per layer and language, encoder frozen              (Wu & Dredze 2020)
#   l2               L2 alignment, parameters kept close                       (Cao et al. 2020; Wu & Dredze 2020)
#   weak, strong     contrastive alignment of words, parameters kept close     (Wu & Dredze 2020)
#   ppa              MoCo + TLM                                                (Pan et al. 2021)
#   moco             MoCo alone: PPA without TLM
#   ppa_mlm          MoCo + MLM on the sides of each pair: PPA with MLM in place of TLM
#   ppa_mean         PPA with mean-pooling
#   weam             TLM + word exchange                                       (Yang et al. 2021)
# PAIR (de-en), UPDATES (400), MAX_TOKENS (4096), LR (5e-4), QUEUE (2000), ARCH (xalign_tiny), DEVICE (--cpu; for a GPU
# --bf16 and larger sizes).
set -euo pipefail
[[ $# -ge 5 ]] || { sed -n '2,17p' "$0" >&2; exit 2; }
data="$1" encoder="$2" runs="$3" setting="$4" seed="$5"
shift 5
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
save="$runs/$setting-$seed" updates="${UPDATES:-400}"
[[ -e "$encoder" ]] || { echo "error: no checkpoint $encoder" >&2; exit 2; }
case "$setting" in
  tlm) options=(--criterion tlm) ;;
  linear_mapping) options=(--criterion linear_mapping) ;;
  l2) options=(--criterion explicit_alignments --objectives l2_align,reg_param) ;;
  weak) options=(--criterion explicit_alignments --word-contrastive-negatives weak) ;;
  strong) options=(--criterion explicit_alignments --word-contrastive-negatives strong) ;;
  ppa) options=(--criterion ppa --moco-queue-size "${QUEUE:-2000}") ;;
  moco) options=(--criterion ppa --objectives moco --moco-queue-size "${QUEUE:-2000}") ;;
  ppa_mlm) options=(--criterion ppa --objectives moco,sentence_mlm --moco-queue-size "${QUEUE:-2000}") ;;
  ppa_mean) options=(--criterion ppa --moco-pooling mean --moco-queue-size "${QUEUE:-2000}") ;;
  weam) options=(--criterion weam --mask-prob 0.3) ;;
  *) echo "error: unknown setting $setting; expected one of those that $0 lists without arguments" >&2; exit 2 ;;
esac
mkdir -p "$save"
if [[ ! -e "$save/run.json" ]]; then # what the results file says of this run
  commit="$(git -C "$here" rev-parse --short HEAD 2> /dev/null || echo unknown)"
  command="PAIR=${PAIR:-de-en} UPDATES=$updates bash 1_train.sh DATA_BIN ENCODER RUNS $setting $seed${*:+ $*}"
  printf '{"setting": "%s", "command": "%s", "commit": "%s", "seed": %s}\n' "$setting" "$command" "$commit" "$seed" \
    > "$save/run.json"
fi
if grep -qs "| num_updates $updates |" "$save/train.log"; then # fairseq-train would do one update more
  echo "$save has its $updates updates already"
  exit
fi
read -r -a device <<< "${DEVICE:---cpu}"
fairseq-train "$data" --user-dir "$(xalign user-dir)" --task xalign_pretraining --lang-pairs "${PAIR:-de-en}" \
  --arch "${ARCH:-xalign_tiny}" --max-positions 256 --init-checkpoint "$encoder" --loss-normalization per-objective \
  --optimizer adam --adam-betas '(0.9, 0.98)' --adam-eps 1e-6 --clip-norm 1.0 --lr "${LR:-5e-4}" \
  --lr-scheduler polynomial_decay --warmup-updates "$((updates / 10))" --total-num-update "$updates" \
  --max-update "$updates" --max-tokens "${MAX_TOKENS:-4096}" --seed "$seed" --disable-validation \
  --no-epoch-checkpoints --save-interval-updates 200 --keep-interval-updates 1 --log-format simple --log-interval 20 \
  --num-workers 1 --save-dir "$save" --log-file "$save/train.log" "${options[@]}" "$@" "${device[@]}"
