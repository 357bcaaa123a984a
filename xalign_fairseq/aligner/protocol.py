"""The interface of every word aligner: with an encoder, statistics of bitext, or both."""

from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Protocol, Self

from xalign_fairseq.aligner.alignment import Alignment
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.pairs import Sentence
from xalign_fairseq.data.tokenizers.unknown import UnknownTokens

SentencePair = tuple[Sentence, Sentence]
Progress = Callable[[int], object]


class WordAligner(Protocol):
    """Sentence pairs in, word links with probabilities out.

    A sentence is a text in any language, or its words. A text is split by the segmenter ``auto``
    (:func:`~xalign_fairseq.core.text.segmentation.find_segmenter`): at white space, or as ICU finds the words of text
    without spaces; the result of another segmenter can be given in its place. No pair is left out: one with an empty
    side, or of more than :data:`~xalign_fairseq.aligner.neural.aligner.MOST_SIMILARITIES` pairs of subwords, has no
    links.

    Example::

        with load_aligner("e5-small", processes=4) as aligner:
            for pair in aligner.stream(SentencePairs("test.en", "test.de")):
                print(pair.links)
    """

    def stream(
        self, pairs: Iterable[SentencePair], progress: Progress | None = None, matrices: bool = False
    ) -> Iterator[Alignment]:
        """Align pairs in their order.

        Args:
            pairs: source and target sentence each.
            progress: is called with the number of pairs that were done since.
            matrices: give the probabilities of all pairs of units, too (:class:`~xalign_fairseq.aligner.Alignment`).
        """

    def describe(self) -> str:
        """How links are made, in one line for people."""

    def signature(self) -> str:
        """Everything that determines the links, as ``key:value`` joined by ``|``
        (:mod:`xalign_fairseq.evaluation.signature`).
        """

    def unknown(self) -> UnknownTokens:
        """The unknown tokens of all pairs so far; do not call this while pairs are being aligned."""
        return UnknownTokens()

    def align(self, src: Iterable[Sentence], tgt: Iterable[Sentence]) -> list[Alignment]:
        """Align sentences and their translations, as many as there are sentences, with ``matrix`` of each pair.

        Raises:
            XalignError: the sides differ in their number of sentences, or one is a single string.
        """
        if isinstance(src, str) or isinstance(tgt, str):
            raise XalignError(
                "a text is given instead of a list of texts",  # whose letters would be taken for texts
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
        return list(self.stream(zip(src, tgt, strict=True), matrices=True))

    def close(self) -> None:
        """End the aligner's processes, if it has any."""
        return

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
