"""Links by an encoder and by the bitext's own statistics together: the mean of what both say of each pair of words."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from xalign_fairseq.aligner.aligner import Aligner
from xalign_fairseq.aligner.alignment import Alignment, Links
from xalign_fairseq.aligner.processes import AlignerPool
from xalign_fairseq.aligner.sentence_pairs import Sentence, chunks
from xalign_fairseq.data.unknown import UnknownTokens
from xalign_fairseq.statistical.folder import TrainedModels, load
from xalign_fairseq.statistical.models import mean_scores
from xalign_fairseq.transport.grown import Grown

AT_ONCE = 512  # pairs whose statistics are counted together
METHOD = "grow"  # whose scores are of words, as the statistics' are
# Of the encoder: scores below are of no account, and no links are chosen yet.
SCORES = {"threshold": 1e-3, "growth": 1.0}
# Chosen on development gold of en-fr and en-hi, for e5-small as it comes and self-trained alike, from 115 to 115,652
# pairs of text.
MOST, HALF_AT = 0.35, 1000


def share_of(pairs: int) -> float:
    """The share of statistics that were learned from so many pairs of sentences.

    Example::

        share_of(1000)  # 0.175
    """
    return MOST * pairs / (pairs + HALF_AT)


class CombinedAligner:
    r"""Word alignment by the mean of an encoder's scores of words and those of a statistical aligner.

    With :math:`s` of :class:`~xalign_fairseq.transport.grown.Grown` and :math:`p` the mean posterior of the hidden
    Markov models (:func:`~xalign_fairseq.statistical.models.mean_scores`), a pair of words has the score

    .. math:: (1 - w) s(u, v) + w p(u, v), \quad w = 0.35 \frac{N}{N + 1000}

    which is the probability of its link, N being the pairs of sentences that the statistics are of: those of a few
    hundred are worth little. Links are chosen as by ``grow``: all from ``threshold`` on, and weaker ones of ``growth``
    times that beside them. The encoder knows words that the text has once, the text knows its own terms and order;
    where they err, they seldom agree. A pair that is too long for the statistics has the encoder's score.

    Args:
        encoder: its aligner, or several of them; of method ``grow`` with :data:`SCORES`, linking words.
        trained: the statistical aligner.
        threshold: the least score of the links that others grow from; without one 0.5 - w / 8, since the mean of two
            is less sure than either.
        growth: the least score of the others, as a share of ``threshold``; without one 0.5 - w / 4.

    Example::

        aligner = CombinedAligner.from_pretrained("e5-small", "all.links.aligner")
        [pair] = aligner.align([("das Haus", "the house")])
        pair.links  # {(0, 0): 0.96, (1, 1): 0.98}
    """

    def __init__(
        self,
        encoder: Aligner | AlignerPool,
        trained: TrainedModels,
        threshold: float | None = None,
        growth: float | None = None,
    ):
        self.share = share_of(trained.pairs)
        usual = Grown(threshold=0.5 - self.share / 8, growth=0.5 - self.share / 4)
        given = {"threshold": threshold, "growth": growth}
        self._choice = replace(usual, **{name: value for name, value in given.items() if value is not None})
        self._encoder, self._models = encoder, trained.models

    @classmethod
    def from_pretrained(
        cls,
        path: str | os.PathLike,
        statistics: str | os.PathLike,
        *,
        threshold: float | None = None,
        growth: float | None = None,
        **encoder: Any,
    ) -> "CombinedAligner":
        """Load both.

        Args:
            path: the encoder, and its options in ``encoder``, as of :meth:`Aligner.from_pretrained`.
            statistics: a folder of ``xalign align --from-scratch`` or ``xalign train-aligner --from-scratch``.
        """
        loaded = Aligner.from_pretrained(path, method=METHOD, options=SCORES, **encoder)
        return cls(loaded, load(Path(statistics)), threshold, growth)

    @property
    def unknown(self) -> UnknownTokens:
        """How many tokens of all pairs so far the encoder's vocabulary lacks."""
        return self._encoder.unknown

    def align(self, pairs: Iterable[tuple[Sentence, Sentence]]) -> list[Alignment]:
        """All pairs at once."""
        return list(self.stream(pairs))

    def stream(
        self, pairs: Iterable[tuple[Sentence, Sentence]], progress: Callable[[int], object] | None = None
    ) -> Iterator[Alignment]:
        """Pair by pair, in order; ``progress`` is told how many more the encoder has read."""
        read: list[Alignment] = []

        def words() -> Iterator[tuple[list[str], list[str]]]:
            for alignment in self._encoder.stream(pairs, progress):
                read.append(alignment)
                yield alignment.src, alignment.tgt

        for chunk in chunks(words(), AT_ONCE):
            counted = mean_scores(self._models, chunk)
            for alignment, scores in zip(read, counted, strict=True):
                links = self._links(alignment, scores)
                yield Alignment(alignment.src, alignment.tgt, links, too_long=alignment.too_long)
            read.clear()

    def _links(self, alignment: Alignment, counted: np.ndarray | None) -> Links:
        if alignment.too_long:
            return {}
        scores = np.zeros((len(alignment.src), len(alignment.tgt)))
        for link, score in alignment.links.items():
            scores[link] = score
        if counted is not None:
            scores = (1 - self.share) * scores + self.share * counted
        return self._choice.grow(scores)

    def describe(self) -> str:
        """How links are found, in a line, apart from the encoder."""
        names = ", ".join(model.name for model in self._models)
        return (
            f"{1 - self.share:.0%} of its scores and {self.share:.0%} of statistics ({names}), "
            f"links of {self._choice.threshold:.2g} and more, grown by those of {self._choice.least:.2f} and more"
        )
