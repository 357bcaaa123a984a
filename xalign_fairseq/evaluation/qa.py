"""Exact match and F1 of extracted answers, with the normalisation of SQuAD 1.1 or of MLQA."""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.metric import Metric, ratio

Normalise = Callable[[str, str], str]
PUNCTUATION = frozenset(string.punctuation)
# Articles as in MLQA's script. One branch of its Arabic pattern can never match; the other removes every alif-lam, also
# inside words.
ARTICLES = {
    "en": re.compile(r"\b(?:a|an|the)\b"),
    "es": re.compile(r"\b(?:un|una|unos|unas|el|la|los|las)\b"),
    "de": re.compile(r"\b(?:ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b"),
    "vi": re.compile(r"\b(?:của|là|cái|chiếc|những)\b"),
    "ar": re.compile("ال"),
}
HAN = re.compile("([\u4e00-\u9fa5])")


def normalise_squad(text: str, language: str = "en") -> str:
    """An answer normalised as in SQuAD 1.1: lower case, no ASCII punctuation, no English articles, single spaces.

    XTREME scores XQuAD and TyDiQA-GoldP in this way in all languages, so ``language`` has no effect.
    """
    kept = "".join(character for character in text.lower() if character not in PUNCTUATION)
    return " ".join(ARTICLES["en"].sub(" ", kept).split())


def normalise_mlqa(text: str, language: str) -> str:
    """An answer normalised as in MLQA 1.0: lower case, no Unicode punctuation, no articles of its language.

    Chinese characters (U+4E00 to U+9FA5) of ``zh`` become one token each; the rest is split at spaces. Hindi and
    Chinese have no articles. MLQA's script stops at a language outside ar, de, en, es, hi, vi and zh; here such an
    answer keeps all its words. The context's language is the part of the code before the first ``-``.
    """
    language = language.split("-", maxsplit=1)[0]
    kept = "".join(character for character in text.lower() if not _is_punctuation(character))
    if language in ARTICLES:
        kept = ARTICLES[language].sub(" ", kept)
    if language == "zh":
        kept = HAN.sub(r" \1 ", kept)
    return " ".join(kept.split())


def _is_punctuation(character: str) -> bool:
    return character in PUNCTUATION or unicodedata.category(character).startswith("P")


def exact(gold: str, prediction: str) -> float:
    """1 if two normalised answers are equal, also if both are empty."""
    return float(gold == prediction)


def overlap(gold: str, prediction: str) -> float:
    r"""F1 of the tokens of two normalised answers as multisets; 0 without a common token, also if both are empty.

    .. math:: F_1 = \frac{2 |G ∩ P|}{|G| + |P|}
    """
    ours, theirs = prediction.split(), gold.split()
    shared = (Counter(ours) & Counter(theirs)).total()
    return 2 * shared / (len(ours) + len(theirs)) if shared else 0.0


def _metric(name: str, similarity: Callable[[str, str], float], normalise: Normalise, variant: str) -> Metric:
    """The mean over questions of the best ``similarity`` to any gold answer (Rajpurkar et al., 2016)."""

    def count(gold: Sequence[str], prediction: str, language: str) -> tuple[float, float]:
        if not gold:
            raise XalignError("a question has no gold answer")
        mine = normalise(prediction, language)
        return max(similarity(normalise(answer, language), mine) for answer in gold), 1.0

    return Metric(name, (name, "questions"), count, ratio, variant)


_SQUAD, _MLQA = "SQuAD 1.1 normalisation, best of the answers", "MLQA 1.0 normalisation, best of the answers"
SQUAD_EM = _metric("em", exact, normalise_squad, _SQUAD)
SQUAD_F1 = _metric("f1", overlap, normalise_squad, _SQUAD)
MLQA_EM = _metric("em", exact, normalise_mlqa, _MLQA)
MLQA_F1 = _metric("f1", overlap, normalise_mlqa, _MLQA)
