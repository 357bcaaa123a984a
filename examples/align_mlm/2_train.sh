#!/usr/bin/env bash
# Pre-train one encoder on English and a derived language. Run again to resume; a finished run is kept.
#
#   bash 2_train.sh DATA RUNS OBJECTIVE LANGUAGE SEED [fairseq-train option ...]
#
# DATA: OUT of 1_data.sh. LANGUAGE: trans, trans_inv or trans_syn. OBJECTIVE:
#   mlm         MLM in both languages
#   xlm         MLM, and TLM on PARALLEL (25) % of the text as pairs; positions restart, language embeddings
#   dict_mlm    MLM that replaces masked words by translations, for DICTIONARY (25) % of the pieces; language
#               embeddings
#   align_mlm   MLM, and the cosines of DICTIONARY (25) % of the pieces with their translations
# OVERLAP (0): % of pieces that the languages share. Each update has MAX_TOKENS (2048) tokens per GPU, whatever the
# objective; fairseq-train uses all GPUs. LAYERS (2), DIM (64), HEADS (DIM / 32), UPDATES (5000), WARMUP (UPDATES /
# 10), LR (2e-3), BLOCK (64) tokens, DROPOUT (0), DEVICE (--cpu). The paper's values (Table 10) for one GPU; for N
# GPUs set MAX_TOKENS=$((65536 / N)):
#   LAYERS=8 DIM=512 HEADS=8 UPDATES=500000 WARMUP=10000 LR=1e-4 BLOCK=512 MAX_TOKENS=65536 DROPOUT=0.1 DEVICE=--bf16
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
need 5 "$@"
data="$1" runs="$2" objective="$3" language="$4" seed="$5"
as_paths data runs
shift 5
: "${DICTIONARY:=25}" "${PARALLEL:=25}" "${OVERLAP:=0}" "${MAX_TOKENS:=2048}" "${BLOCK:=64}" "${DIM:=64}"
: "${UPDATES:=5000}" "${DEVICE=--cpu}"
[[ "$seed" =~ ^[0-9]+$ ]] || { echo "error: SEED is '$seed', not a number" >&2; exit 2; }
variant=""
[[ "$OVERLAP" == 0 ]] || variant+=".overlap$OVERLAP"
[[ "$PARALLEL" == 25 ]] || variant+=".parallel$PARALLEL"
[[ "$DICTIONARY" == 25 ]] || variant+=".dictionary$DICTIONARY"

mono_tokens="$MAX_TOKENS" sizes=()
case "$objective" in
  mlm | align_mlm) change=("criterion._name=$objective") ;;
  dict_mlm) change=(criterion._name=dict_mlm "model.language_embeddings=en,xx") ;;
  xlm)
    # With f pairs per sentence, TLM has f / (1 + f) of all tokens (appendix G.3).
    pair_tokens=$((MAX_TOKENS * PARALLEL / (100 + PARALLEL)))
    # Whole blocks, rounded up: batches of pairs are never quite full.
    mono_tokens=$(((MAX_TOKENS - pair_tokens + BLOCK - 1) / BLOCK * BLOCK))
    # Below the length of the longest pair, count pairs of about 50 tokens instead, at least one.
    [[ "$pair_tokens" -ge 256 ]] ||
      sizes=(--batch-size "$((pair_tokens < 50 ? 1 : pair_tokens / 50))" --mono-batch-size "$((mono_tokens / BLOCK))")
    sizes+=(--max-tokens "$((pair_tokens < 256 ? 256 : pair_tokens))")
    change=()
    ;;
  *) echo "error: unknown objective $objective; expected mlm, xlm, dict_mlm or align_mlm" >&2; exit 2 ;;
esac
[[ "$objective" == xlm ]] || sizes=(--max-tokens "$mono_tokens")
read_options "$here/$([[ "$objective" == xlm ]] && echo xlm || echo align_mlm).yaml" "${change[@]}"
bin="$data/data/$language$variant" setting="$objective.$language$variant"
save="$runs/$setting-$seed"
require_file "the data-bin of $language$variant; next: bash 1_data.sh" "$bin"

mkdir -p "$save"
record_run "$save" "$setting" "$seed" "$DEVICE" \
  "DICTIONARY PARALLEL OVERLAP LAYERS DIM HEADS UPDATES WARMUP LR BLOCK MAX_TOKENS DROPOUT DEVICE" \
  2_train.sh DATA RUNS "$objective" "$language" "$seed" "$@"
SEED="$seed" INIT="" # from scratch
train_run "$bin" "$save" --encoder-layers "${LAYERS:-2}" --encoder-embed-dim "$DIM" \
  --encoder-ffn-embed-dim "$((4 * DIM))" --encoder-attention-heads "${HEADS:-$((DIM / 32))}" \
  --dropout "${DROPOUT:-0}" --attention-dropout "${DROPOUT:-0}" --mono-tokens-per-sample "$BLOCK" \
  --mono-max-tokens "$mono_tokens" --lr "${LR:-2e-3}" --warmup-updates "${WARMUP:-$((UPDATES / 10))}" "${sizes[@]}" "$@"
