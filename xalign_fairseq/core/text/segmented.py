"""A text and where its words are: what links count, with the way back to the text."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import overload

from xalign_fairseq.core.errors import XalignError

Span = tuple[int, int]  # first character, and the one after the last


@dataclass(frozen=True)
class SegmentedText(Sequence[str]):
    """The words of a text, in its order. As a sequence it is its words, so every aligner takes it as a sentence.

    Attributes:
        text: as it was given; nothing of it is changed.
        spans: first character of each word, and the one after its last. Between words there can be anything.

    Raises:
        XalignError: a span is empty, overlaps the one before it, or is not within the text.

    Example::

        >>> text = SegmentedText("I'm here.", ((0, 3), (4, 8), (8, 9)))
        >>> list(text), text.words_in(4, 9)
        (["I'm", 'here', '.'], range(1, 3))
    """

    text: str
    spans: tuple[Span, ...]

    def __post_init__(self) -> None:
        end = 0
        for start, stop in self.spans:
            if not end <= start < stop <= len(self.text):
                raise XalignError(
                    "the words of a text are not one after the other within it",
                    found=f"characters {start} to {stop} of {len(self.text)}, after a word that ends at {end}",
                )
            end = stop

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return self.words[index]

    def __len__(self) -> int:
        return len(self.spans)

    @cached_property
    def words(self) -> list[str]:
        """The words."""
        return [self.text[start:stop] for start, stop in self.spans]

    @cached_property
    def byte_spans(self) -> tuple[Span, ...]:
        """The spans in bytes of the text in UTF-8."""
        bounds = [0, *(bound for span in self.spans for bound in span)]
        sizes = (len(self.text[start:stop].encode()) for start, stop in pairwise(bounds))
        bytes_at = list(accumulate(sizes))
        return tuple(zip(bytes_at[::2], bytes_at[1::2], strict=True))

    def words_in(self, start: int, stop: int) -> range:
        """The words that have a character from ``start`` up to, not including, ``stop``."""
        first = bisect_right(self.spans, start, key=lambda span: span[1])
        last = first
        while start < stop and last < len(self.spans) and self.spans[last][0] < stop:
            last += 1
        return range(first, last)


def from_words(words: Sequence[str]) -> SegmentedText:
    """Words that were given without a text: the text has one space between them.

    Example::

        >>> from_words(["red", "house"])
        SegmentedText(text='red house', spans=((0, 3), (4, 9)))
    """
    spans, start = [], 0
    for word in words:
        spans.append((start, start + len(word)))
        start += len(word) + 1
    return SegmentedText(" ".join(words), tuple(spans))
