"""Alignment error rate, precision, recall and F1 of links, with sure and possible gold links."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import add
from typing import NamedTuple

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links.pharaoh import Gold, Link


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


class AlignmentCounts(NamedTuple):
    """Counts for the scores; ``+`` adds the counts of sentences or workers.

    ``hits_sure`` is \\|A∩S\\|, ``hits_possible`` \\|A∩P\\|, ``links`` \\|A\\|, ``sure`` \\|S\\|.
    """

    hits_sure: int = 0
    hits_possible: int = 0
    links: int = 0
    sure: int = 0

    def __add__(self, other: "AlignmentCounts") -> "AlignmentCounts":  # type: ignore[override]
        return AlignmentCounts(*map(add, self, other))

    @property
    def precision(self) -> float:
        """\\|A∩P\\| / \\|A\\|."""
        return _ratio(self.hits_possible, self.links)

    @property
    def recall(self) -> float:
        """\\|A∩S\\| / \\|S\\|."""
        return _ratio(self.hits_sure, self.sure)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return _ratio(2 * self.precision * self.recall, self.precision + self.recall)

    @property
    def aer(self) -> float:
        """1 - (\\|A∩S\\| + \\|A∩P\\|) / (\\|A\\| + \\|S\\|)."""
        return 1.0 - _ratio(self.hits_sure + self.hits_possible, self.links + self.sure)


@dataclass(frozen=True)
class AlignmentScore:
    """Scores as fractions, with the numbers of found links (``links``) and of sure gold links (``sure``).

    Notebooks show a table in percent.
    """

    aer: float
    precision: float
    recall: float
    f1: float
    links: int
    sure: int

    def _repr_html_(self) -> str:
        shown = {name: f"{100 * getattr(self, name.lower()):.1f}" for name in ("AER", "Precision", "Recall", "F1")}
        shown |= {"Links": str(self.links), "Sure gold links": str(self.sure)}
        head = "".join(f"<th>{name}</th>" for name in shown)
        row = "".join(f"<td>{value}</td>" for value in shown.values())
        return f"<table><thead><tr>{head}</tr></thead><tbody><tr>{row}</tr></tbody></table>"


def count(links: Iterable[Link], gold: Gold) -> AlignmentCounts:
    """The counts of one sentence pair; a link given twice counts once."""
    try:
        found = {(i, j) for i, j in links}
    except (TypeError, ValueError):
        remedy = "of a line of text: parse_line(line).possible"
        raise XalignError("links are not pairs of numbers", found=links, remedy=remedy) from None
    return AlignmentCounts(len(found & gold.sure), len(found & gold.possible), len(found), len(gold.sure))


def sentence_counts(
    hyps: Sequence[Iterable[Link]], golds: Sequence[Gold], *, where: object = None
) -> list[AlignmentCounts]:
    """The counts of each pair; XalignError for no pairs or unequal numbers. ``where`` names the files in errors."""
    if len(hyps) != len(golds) or not golds:
        raise XalignError(
            "hypotheses and gold have different numbers of lines" if golds else "there is nothing to score",
            where=where,
            found=f"{counted(len(hyps), 'line')} of hypothesis, {len(golds)} of gold",
            remedy="align every line of the text; a pair without links has an empty line",
        )
    return [count(links, gold) for links, gold in zip(hyps, golds, strict=True)]


def score(hyps: Sequence[Iterable[Link]], golds: Sequence[Gold]) -> AlignmentScore:
    r"""Score links A against gold links, sure S and possible P ⊇ S (Och and Ney, 2003), micro-averaged.

    .. math:: AER = 1 - \frac{|A ∩ S| + |A ∩ P|}{|A| + |S|}, \quad
              precision = \frac{|A ∩ P|}{|A|}, \quad recall = \frac{|A ∩ S|}{|S|}

    Counts are summed over the sentences before the division. A ratio with denominator 0 counts as 0, so AER is 1 if
    there are neither links nor gold. Missing possible links do not affect AER: A = S and A = P both score 0.

    Raises:
        XalignError: hypotheses and gold differ in number, there are none, or links are not pairs of numbers.

    Example::

        >>> gold = Gold(sure={(0, 0)}, possible={(0, 1)})
        >>> round(score([{(0, 0), (1, 1)}], [gold]).aer, 3)  # 1 - (1 + 1) / (2 + 1)
        0.333
    """
    total = sum(sentence_counts(hyps, golds), AlignmentCounts())
    return AlignmentScore(total.aer, total.precision, total.recall, total.f1, total.links, total.sure)
