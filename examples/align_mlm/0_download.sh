#!/usr/bin/env bash
# Download the English text and labelled data of ALIGN-MLM (Tang et al. 2022) and lay them out for 1_data.sh.
#
#   bash 0_download.sh BENCHMARK
#
# DRY=1 only lists downloads and addresses. Run again to resume. Writes
#   BENCHMARK/bitext/wikitext-103/train.en        sentences, tokenised like WikiText-103
#   BENCHMARK/eval/{ud,panx,xnli}                 treebanks of UD, WikiANN, XNLI and MultiNLI; Trans + Syn learns its
#                                                 word order from the French treebank
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
[[ $# -eq 1 ]] || usage
[[ -z "${SAMPLE:-}" ]] || { echo "error: this recipe has no sample; next: try ../fairseq_preprocess or ../xlm_align" >&2; exit 2; }
data="$1"
as_paths data
treebanks=(en_ewt-ud-{train,dev,test} fr_gsd-ud-{dev,test})
download "$data" --file wikitext-103 WikiANN XNLI XNLI-MT "${treebanks[@]}"
[[ -n "${DRY:-}" ]] || python "$here/lay_out.py" "$data/downloads" "$data"
