#!/usr/bin/env bash
# Download the transfer tasks' data from their authors, with labelled test sets, and lay it out for xalign transfer.
#
#   bash 0_download.sh DATA [TASK ...]
#
# TASK (default: all but translate-train): xnli pawsx ner pos parsing xquad mlqa tydiqa tatoeba, and translate-train
# (the translated training sets of XNLI, MLQA and XTREME). UD: release of the treebanks (2.5: XLM-Align; 2.6: Wu &
# Dredze; 2.2: ALIGN-MLM). JOBS (2): parallel downloads. DRY=1 only lists downloads and addresses. SAMPLE=N downloads
# nothing and writes N synthetic examples for each set in en, de, fr and ru, to try the next steps. Run again to resume.
# If downloads failed, a list of them is printed at the end and the exit code is 1.
# Writes DATA/{XNLI-1.0,XNLI-MT-1.0,x-final,panx_dataset,ud-treebanks-vUD,udpos,squad,xquad,MLQA_V1,tydiqa,tatoeba}, and
# DATA/downloads, which you can then remove.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
need 1 "$@"
data="$1"
as_paths data
shift
[[ $# -gt 0 ]] || set -- xnli pawsx ner pos xquad mlqa tydiqa tatoeba
: "${UD:=2.5}"
files=()
for task in "$@"; do
  case "$task" in
    xnli) files+=(XNLI XNLI-MT) ;;
    pawsx) files+=(PAWS-X) ;;
    ner) files+=(WikiANN) ;;
    pos | parsing)
      files+=("UD-$UD")
      for other in "$data"/ud-treebanks-v*; do
        [[ ! -e "$other" || "$other" == *"-v$UD" ]] ||
          { echo "error: UD: $other is another release; next: give another folder, or remove it and udpos" >&2; exit 2; }
      done
      ;;
    xquad) files+=(XQuAD SQuAD) ;;
    mlqa) files+=(MLQA SQuAD) ;;
    tydiqa) files+=(TyDiQA) ;;
    tatoeba) files+=(Tatoeba) ;;
    translate-train)
      files+=(XNLI-MT MLQA-translate-train XTREME-XNLI XTREME-PAWSX XTREME-SQuAD XTREME-TyDiQA)
      ;;
    *) echo "error: unknown task $task" >&2; usage ;;
  esac
done
if [[ -n "${SAMPLE:-}" ]]; then
  require_synthetic "$data"
  python "$here/sample_data.py" "$data/downloads" "$SAMPLE" "${files[@]}"
  python "$here/lay_out.py" "$data" "${files[@]}"
  exit
fi
missing=0
download "$data" --jobs "${JOBS:-2}" --file "${files[@]}" || missing=$?
[[ -n "${DRY:-}" ]] || python "$here/lay_out.py" "$data" "${files[@]}"
exit "$missing"
