"""Attachment scores of dependency trees, by the rules of Wu and Dredze (2020) and of the CoNLL 2018 shared task."""

from collections.abc import Sequence
from dataclasses import dataclass

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.metric import Metric, ratio

LEFT_OUT = frozenset({"PUNCT", "SYM"})
Prediction = tuple[Sequence[int], Sequence[str]]


@dataclass(frozen=True)
class GoldTree:
    """A sentence's gold tree: the head (0 is the root), the relation and the universal POS tag of words 1 ... n."""

    heads: tuple[int, ...]
    relations: tuple[str, ...]
    upos: tuple[str, ...]


def universal(relation: str) -> str:
    """The relation without its language-specific part: ``nsubj:pass`` -> ``nsubj``."""
    return relation.split(":", maxsplit=1)[0]


def _metric(name: str, variant: str, *, labelled: bool, left_out: frozenset[str] = frozenset()) -> Metric:
    r"""Share of words with the right head and, if ``labelled``, the right universal relation.

    .. math:: LAS = \frac{|\{w : head_w = head^*_w, relation_w = relation^*_w\}|}{|\{w\}|},
              \quad w \text{ with a gold UPOS not in } left\_out
    """

    def count(gold: GoldTree, prediction: Prediction, language: str) -> tuple[float, float]:
        heads, relations = prediction
        if not len(gold.heads) == len(heads) == len(relations):
            problem = "a sentence has different numbers of predicted heads, relations and words"
            raise XalignError(problem, found=f"{len(heads)}, {len(relations)} and {len(gold.heads)}")
        correct = words = 0
        for k, tag in enumerate(gold.upos):
            if tag not in left_out:
                words += 1
                correct += heads[k] == gold.heads[k] and (
                    not labelled or universal(relations[k]) == universal(gold.relations[k])
                )
        return float(correct), float(words)

    return Metric(name, ("correct", "words"), count, ratio, variant)


_OUT = "words but gold PUNCT and SYM"
LAS = _metric("las", f"{_OUT}, universal relations, as Wu and Dredze 2020", labelled=True, left_out=LEFT_OUT)
UAS = _metric("uas", f"{_OUT}, heads, as Wu and Dredze 2020", labelled=False, left_out=LEFT_OUT)
LAS_ALL = _metric("conll-las", "all words, gold tokens, universal relations, as CoNLL 2018", labelled=True)
UAS_ALL = _metric("conll-uas", "all words, gold tokens, heads, as CoNLL 2018", labelled=False)
