#!/usr/bin/env bash
# Download the texts of XLM-Align (Chi et al. 2021): 14 pairs with English, CC-100, the four test sets and XLM-R base.
# Writes TEXT/PAIR/{train,valid}.LANG, TEXT/mono/LANG.txt, and TEXT/gold for xalign bench.
#
#   bash 0_download.sh TEXT [PAIR ...]          PAIR: ar-en ... en-zh (default: all)
#
# DRY=1 only lists downloads, sizes and addresses. SAMPLE=N downloads nothing and writes N synthetic pairs of de-en (or of
# the given pairs: en-de and en-fr, in either order) with gold links, to try the next steps. Run again to resume. XLM-R base goes to
# TEXT/downloads/xlmr.base.
# MONO: languages of CC-100 (default: those of the pairs; all: the paper's 94; none: use the pairs' sides as monolingual
# text). WIKIPEDIA: the same for Wikipedia (default: none); the newest dump without markup is added after CC-100's
# text. JOBS (4): parallel downloads.
# The paper does not name the OPUS corpora of each pair; the choice here is ours.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../common/recipe.sh"
need 1 "$@"
text="$1"
as_paths text
shift
[[ $# -gt 0 || -z "${SAMPLE:-}" ]] || set -- de-en
[[ $# -gt 0 ]] || set -- ar-en bg-en de-en el-en en-es en-fr en-hi en-ru en-sw en-th en-tr en-ur en-vi en-zh
bitext=() languages=()
for pair in "$@"; do
  case "$pair" in
    *ar* | *es* | *fr* | *ru* | *zh*) corpora=MultiUN+WikiMatrix ;;
    *bg* | *de* | *el*) corpora=EUbookshop+WikiMatrix ;;
    *hi*) corpora=IITB+WikiMatrix ;;
    *sw*) corpora=GlobalVoices+Tanzil+WikiMatrix ;;
    *th* | *tr* | *vi*) corpora=OpenSubtitles ;;
    *ur*) corpora=Tanzil ;;
    *) corpora=WikiMatrix ;;
  esac
  bitext+=("$pair=$corpora")
  languages+=("${pair%-*}" "${pair#*-}")
done
read -r -a mono <<< "${MONO:-${languages[*]}}"
read -r -a wikipedia <<< "${WIKIPEDIA:-none}"
[[ "${mono[*]}" != none ]] || mono=()
[[ "${wikipedia[*]}" != none ]] || wikipedia=()
missing=0
download "$text" "${bitext[@]}" --jobs "${JOBS:-4}" --file xlmr.base alignment-test-sets --mono "${mono[@]}" \
  --wikipedia "${wikipedia[@]}" || missing=$?
if [[ -z "${DRY:-}${SAMPLE:-}" && -d "$text/downloads/alignment-test-sets" ]]; then
  python "$here/lay_out.py" "$text/downloads/alignment-test-sets" "$text/gold"
elif [[ -n "${SAMPLE:-}" && $missing == 0 ]]; then
  mkdir -p "$text/gold"
  for pair in "$@"; do
    exchange='' made="$text/.sample/$pair"
    if [[ "$pair" == *-en ]]; then # synthetic links are from English
      exchange='s/([0-9]+)([-p])([0-9]+)/\3\2\1/g' made="$text/.sample/en-${pair%-en}"
    fi
    for lang in "${pair%-*}" "${pair#*-}"; do
      cp "$made/test.$lang" "$text/gold/$pair.$lang"
    done
    sed -E "$exchange" "$made/test.gold" > "$text/gold/$pair.gold"
  done
fi
exit "$missing"
