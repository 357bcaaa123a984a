"""What every annotated format is read into: text that stays as it is, and sentence pairs to project on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from xalign_fairseq.core.text.segmented import SegmentedText

Links = dict[tuple[int, int], float]  # (source word, target word): probability


@dataclass(frozen=True)
class Dropped:
    """What could not be placed on the translation: what it is, and why."""

    item: str
    reason: str


@dataclass(frozen=True)
class Projected:
    """The annotated translation as it is to be written, and what could not be placed on it."""

    text: str
    placed: int
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True)
class Unit:
    """One sentence pair, whose source is annotated.

    Attributes:
        src, tgt: the sentences, without annotation; the words that links count.
        where: file and line, for the report.
        project: from links to what takes the unit's place in the output.
    """

    src: SegmentedText
    tgt: SegmentedText
    where: str
    project: Callable[[Links], Projected]


Piece = str | Unit
"""In the order of the output: text that is written as it is, or a pair whose annotated translation is."""


class AnnotationReader(Protocol):
    """Reads one format of annotation, in constant memory."""

    def pieces(self) -> Iterator[Piece]:
        """What the output consists of.

        Raises:
            XalignError: the input is not of this format; file and line are named.
        """
