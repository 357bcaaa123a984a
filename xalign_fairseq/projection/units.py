"""The common form of annotated files: unchanged text, and sentence pairs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from xalign_fairseq.aligner.protocol import Links
from xalign_fairseq.core.text.segmentation import Segmenter, split_at_spaces
from xalign_fairseq.core.text.segmented import SegmentedText
from xalign_fairseq.projection.spans import Placing

Label = tuple[range, str]  # words, and their label


@dataclass(frozen=True)
class Annotated:
    """The content of an annotated file: ``tgt`` is the translation, ``None`` for a format that contains both."""

    src: str
    tgt: str | None = None
    segment: Segmenter = split_at_spaces
    placing: Placing = field(default_factory=Placing)


@dataclass(frozen=True)
class Dropped:
    """An annotation that could not be placed on the translation, and the reason."""

    item: str
    reason: str


@dataclass(frozen=True)
class Projected:
    """The annotated translation, its labels for the HTML page, and the annotations that could not be placed."""

    text: str
    placed: int
    dropped: tuple[Dropped, ...] = ()
    labels: tuple[tuple[Label, ...], tuple[Label, ...]] = ((), ())


@dataclass(frozen=True)
class Unit:
    """One pair with its annotated source; ``project`` makes the output, from links if it ``needs_links``."""

    src: SegmentedText
    tgt: SegmentedText
    where: str
    project: Callable[[Links], Projected]
    needs_links: bool = True
    several: bool = False  # paragraphs or cells
    # Pharaoh links may count words of texts with other placeholders: for each such word, the words here.
    counted: Callable[[], tuple[list[range], list[range]]] | None = None

    @classmethod
    def fixed(cls, src: SegmentedText, tgt: SegmentedText, where: str, text: str, *dropped: Dropped) -> "Unit":
        """A pair whose output does not depend on links, and what it lacks."""
        projected = Projected(text, 0, dropped)
        return cls(src, tgt, where, lambda links: projected, needs_links=False)


Piece = str | Unit
"""In the order of the output: text to write unchanged, or a pair whose annotated translation is written."""

Reader = Callable[[Annotated], Iterator[Piece]]
"""Reads one format of annotation, in constant memory; errors name file and line."""
