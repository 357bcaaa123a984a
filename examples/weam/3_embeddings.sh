#!/usr/bin/env bash
# Plot the paper's Figure 2: input embeddings of the most frequent linked words, for several checkpoints side by side.
#
#   bash 3_embeddings.sh TEXT PAIR OUT CHECKPOINT [CHECKPOINT ...]
#
# Reads TEXT/PAIR/train.{LANG,LANG,symmetrized.links} of 1_data.sh, or train.links of ../transfer/small/1_data.sh.
# Writes OUT.png (by t-SNE, as in the paper, or PROJECTION=PCA) and OUT.json. Skips the words of function_words.txt
# (English and German), as the paper skips stop words.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
need 4 "$@"
text="$1" pair="$2" out="$3"
as_paths text out
bitext="$text/$pair/train"
shift 3
models=()
for model in "$@"; do
  [[ ! -e "$model" ]] || as_paths model # e5-small is not a path
  models+=("$model")
done
links="$bitext.symmetrized.links"
[[ -e "$links" ]] || links="$bitext.links"
xalign embeddings --model "${models[@]}" --src "$bitext.${pair%-*}" --tgt "$bitext.${pair#*-}" --links "$links" \
  --leave-out "$here/function_words.txt" --plot "$out.png" --projection "${PROJECTION:-t-SNE}" --json > "$out.json"
