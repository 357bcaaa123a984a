"""Links from one or two encoders and from statistics of the bitext, guided by the first encoder."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, tee

from xalign_fairseq.aligner.kept_scores import kept_scores
from xalign_fairseq.aligner.protocol import Alignment, Progress, SentencePair, WordAligner
from xalign_fairseq.aligner.statistical.aligner import judged
from xalign_fairseq.aligner.statistical.folder import TrainedModels
from xalign_fairseq.aligner.statistical.models import mean_scores
from xalign_fairseq.core.text.pairs import chunks
from xalign_fairseq.data.tokenizers.unknown import UnknownTokens
from xalign_fairseq.transport.grown import Grown

AT_ONCE = 512  # pairs in one pass of the statistics


@dataclass(frozen=True)
class Mixing:
    """How scores of an encoder and of statistics are combined: the share of statistics, and the choice of links."""

    share: float
    choice: Grown


# By the encoder's method. Chosen on development gold: for grow on en-cs, en-es, en-fr and en-hi, with e5-small
# self-trained; for scored, with e5-small untrained, on the trial sets of Hansards and WPT05 (Hindi), INESC's en-fr and
# XL-WA's bg, et, hu, nl and ru, with about 1,000 other pairs each (Hansards 3,900). TWO, for two encoders: on the trial
# sets, INESC's en-fr and Alibi's three, each annotator with the same weight. No test set was used.
TWO = "two encoders"
MIXINGS = {
    "grow": Mixing(0.6, Grown(threshold=0.42, growth=0.35)),
    "scored": Mixing(0.5, Grown(threshold=0.4, growth=0.7)),
    TWO: Mixing(0.4, Grown(threshold=0.4, growth=0.7)),
}


class CombinedAligner(WordAligner):
    r"""Word alignment by an encoder and by statistics of the bitext, which the encoder guides.

    With :math:`s(u, v)` the encoder's score of two words, by ``grow`` or ``scored``, the hidden Markov models of the
    statistics use

    .. math:: t(v \mid u) (s(u, v) + 0.1)^2

    instead of the probability :math:`t(v \mid u)` that u is translated as v. Words that the encoder does not link in
    this sentence count 100 times less than linked words. The models thus learn from the encoder's links in the whole
    text, and from word order. They follow the encoder where it is certain; otherwise the rest of the text decides. With
    their mean posterior p (:func:`~xalign_fairseq.aligner.statistical.models.mean_scores`) a link has the probability

    .. math:: (1 - w) s(u, v) + w p(u, v)

    with a weight w for each method (:data:`MIXINGS`). Links are chosen as in ``grow``: all of at least ``threshold``,
    then neighbours of at least ``growth`` times ``threshold``. A pair that is too long for the statistics has the
    encoder's scores. With a second encoder, the mean of both encoders' scores replaces s in this sum. A pair with one
    word on each side is linked, unless ``growth`` is 1.

    Args:
        encoder: the encoder's aligner, with the scoring options of ``method``.
        trained: statistics, learned by :func:`~xalign_fairseq.aligner.run.learn`; ``None``: encoders alone.
        method: the encoder's method, ``grow`` or ``scored``.
        threshold: minimum score of the links that are chosen first.
        growth: minimum score of their neighbours, as a share of ``threshold``.
        second: another encoder, for example trained on the links of the first.

    Example::

        aligner = load_aligner("e5-small", statistics="all.links.aligner")
        [pair] = aligner.align(["das Haus"], ["the house"])
        pair.links  # {(0, 0): 0.96, (1, 1): 0.98}
    """

    def __init__(
        self,
        encoder: WordAligner,
        trained: TrainedModels | None,
        method: str = "grow",
        threshold: float | None = None,
        growth: float | None = None,
        second: WordAligner | None = None,
    ):
        given = {"threshold": threshold, "growth": growth}
        mixing = MIXINGS[TWO if second else method]
        self._share = mixing.share if trained else 0.0
        self._choice = replace(mixing.choice, **{name: value for name, value in given.items() if value is not None})
        self._encoder, self._second, self._models = encoder, second, trained.models if trained else []

    def unknown(self) -> UnknownTokens:
        return self._encoder.unknown()

    def close(self) -> None:
        self._encoder.close()
        if self._second:
            self._second.close()

    def stream(
        self, pairs: Iterable[SentencePair], progress: Progress | None = None, matrices: bool = False
    ) -> Iterator[Alignment]:
        """``progress`` counts the encoded pairs."""
        encoded, again = tee(self._encoder.stream(pairs, progress, matrices=True))
        text = chunks(((each.src, each.tgt) for each in encoded), AT_ONCE, pairs)
        for chunk in judged(self._models[0], text) if self._models else text:
            read = list(islice(again, len(chunk)))
            own = [kept_scores(alignment.matrix) for alignment in read]
            counted = mean_scores(self._models, chunk, own.__getitem__) if self._models else [None] * len(chunk)
            others = [each.matrix for each in self._second.stream(chunk, matrices=True)] if self._second else own
            for alignment, scores, other, statistics in zip(read, own, others, counted, strict=True):
                both = scores if scores is None or other is None else (scores + other) / 2
                if both is not None and statistics is not None:
                    both = (1 - self._share) * both + self._share * statistics
                links = {} if both is None else self._choice.choose(both)
                if both is not None and both.size == 1 and self._choice.growth < 1:
                    links = {(0, 0): float(both[0, 0])}
                yield replace(alignment, links=links, matrix=both if matrices else None)

    def describe(self) -> str:
        scores = self._encoder.describe()
        if self._second:
            scores += f"; the mean of its scores and those of another: {self._second.describe()}"
        if self._models:
            names = ", ".join(model.name for model in self._models)
            scores += f"; {self._share:.0%} of each score is from statistics that the encoder guides ({names})"
        least, grown = self._choice.threshold, self._choice.least
        return f"{scores}, links with a score of at least {least:.2g}, next to others {grown:.2f}"
