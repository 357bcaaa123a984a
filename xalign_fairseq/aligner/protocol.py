"""The interface of every word aligner: with an encoder, statistics of bitext, or both."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol, Self

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.pairs import Sentence
from xalign_fairseq.data.tokenizers.unknown import UnknownTokens
from xalign_fairseq.evaluation.signature import score_signature

Links = dict[tuple[int, int], float]


@dataclass(frozen=True)
class Alignment:
    """The words of a pair and its links: ``links[i, j]`` is the probability that source word i is linked to target word
    j.

    For a sentence given as text, the words are a
    :class:`~xalign_fairseq.core.text.segmented.SegmentedText` with the text and the positions of the words:
    ``pair.src.text``, ``pair.src.spans``. ``too_long``: the pair has more than
    :data:`~xalign_fairseq.aligner.neural.aligner.MOST_SIMILARITIES` pairs of subwords, or a side of more than
    ``LONGEST_SIDE`` subwords, and is not aligned. ``finite`` is false if hidden states are not finite; the pair then
    has no links.

    ``matrix[i, j]``, float32, is the probability of every pair of words, linked or not; 0 for words that the tokenizer
    drops. ``grow``, ``scored`` and statistics choose word links from ``matrix``. All other methods score subwords; a
    pair of words then has the highest probability of its subwords, at least that of its link. ``align`` computes the
    matrix, ``stream`` on request. Otherwise, and for pairs that are too long or not finite, it is ``None``.

    Example::

        >>> pair = Alignment(["red", "house"], ["maison", "rouge"], {(0, 1): 0.9, (1, 0): 0.8})
        >>> [(pair.src[i], pair.tgt[j]) for i, j in pair.links]
        [('red', 'rouge'), ('house', 'maison')]
    """

    src: Sequence[str]
    tgt: Sequence[str]
    links: Links
    too_long: bool = False
    finite: bool = True
    matrix: np.ndarray | None = field(default=None, repr=False, compare=False)


SentencePair = tuple[Sentence, Sentence]
Progress = Callable[[int], object]


class WordAligner(Protocol):
    """Sentence pairs to word links with probabilities.

    A sentence is a text in any language, or a list of words. The segmenter ``auto`` splits a text
    (:func:`~xalign_fairseq.core.text.segmentation.find_segmenter`): at white space, or by ICU for text without spaces.
    To use another segmenter, pass its words. In a process that is forked from one with an aligner, torch uses one
    thread. Every pair has a result: a pair with an empty side, more than
    :data:`~xalign_fairseq.aligner.neural.aligner.MOST_SIMILARITIES` pairs of subwords, or more than ``LONGEST_SIDE``
    subwords on a side has no links.

    Example::

        with load_aligner("e5-small", processes=4) as aligner:
            for pair in aligner.stream(SentencePairs("test.en", "test.de")):
                print(pair.links)
    """

    def stream(
        self, pairs: Iterable[SentencePair], progress: Progress | None = None, matrices: bool = False
    ) -> Iterator[Alignment]:
        """Align pairs in order.

        Args:
            pairs: pairs of source and target sentence.
            progress: called with the number of newly finished pairs.
            matrices: also return the probabilities of all pairs of words (:class:`Alignment`).
        """

    def describe(self) -> str:
        """How links are made, in one readable line."""

    def signature(self) -> str:
        """Everything that determines the links, as ``key:value`` joined by ``|``
        (:mod:`xalign_fairseq.evaluation.signature`).
        """
        return score_signature(system=self.describe())

    def unknown(self) -> UnknownTokens:
        """The number of unknown tokens in all pairs so far; do not call it during alignment."""
        return UnknownTokens()

    def align(self, src: Iterable[Sentence], tgt: Iterable[Sentence]) -> list[Alignment]:
        """Align sentences with their translations; each alignment has its ``matrix``, unless it is ``too_long``.

        Raises:
            XalignError: the sides differ in their number of sentences, or a side is a single string.
        """
        if isinstance(src, str) or isinstance(tgt, str):
            raise XalignError(
                "a text is given instead of a list of texts",  # it would be read as a list of letters
                found=src if isinstance(src, str) else tgt,
                remedy='align(["one sentence"], ["its translation"])',
            )
        src, tgt = list(src), list(tgt)
        if len(src) != len(tgt):
            raise XalignError(
                "the two sides have different numbers of sentences",
                found=f"{len(src)} and {len(tgt)}",
                expected="a translation for each sentence",
            )
        # A list, because a pool shares a text of known length among all processes.
        return list(self.stream(list(zip(src, tgt, strict=True)), matrices=True))

    def close(self) -> None:
        """End the aligner's processes, if it has any."""
        return

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
