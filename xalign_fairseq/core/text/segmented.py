"""A text and the positions of its words."""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, islice, pairwise
from typing import overload

from xalign_fairseq.core.errors import XalignError

Span = tuple[int, int]  # first character and end (exclusive)


class SegmentedText(Sequence[str]):
    """A text and its words, in order. It is a sequence of words, so every aligner accepts it as a sentence.

    It equals a list of the same words. Do not change its attributes.

    Attributes:
        text: the unchanged text.
        words: the words.
        spans: first character and end (exclusive) of each word. Any text may be between words.

    Raises:
        XalignError: a span is empty, overlaps the one before it, or is not within the text.

    Example::

        >>> text = SegmentedText("I'm here.", ((0, 3), (4, 8), (8, 9)))
        >>> list(text), text.words_in(4, 9)
        (["I'm", 'here', '.'], range(1, 3))
    """

    text: str
    words: list[str]

    def __init__(self, text: str, spans: Sequence[Span]):
        end = 0
        for start, stop in spans:
            if not end <= start < stop <= len(text):
                problem = "the words of a text overlap, are out of order, or lie outside it"
                raise XalignError(problem, found=f"characters {start} to {stop} of {len(text)}, after {end}")
            end = stop
        self.text, self.spans, self.words = text, tuple(spans), [text[start:stop] for start, stop in spans]

    @classmethod
    def of_words(cls, text: str, words: list[str]) -> "SegmentedText":
        """A text with these words. ``spans`` are found on demand: each word's next occurrence in the text.

        These spans are right if no text between words could be part of a word.
        """
        made = cls.__new__(cls)
        made.text, made.words = text, words
        return made

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """The spans of the words."""
        ends = accumulate(self.words, lambda end, word: self.text.index(word, end) + len(word), initial=0)
        return tuple((end - len(word), end) for word, end in zip(self.words, islice(ends, 1, None), strict=True))

    def __repr__(self) -> str:
        return f"SegmentedText(text={self.text!r}, spans={self.spans})"

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return self.words[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SegmentedText):
            return (self.text, self.spans) == (other.text, other.spans)
        return self.words == other if isinstance(other, list) else NotImplemented

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def byte_spans(self) -> tuple[Span, ...]:
        """The spans in bytes of the text in UTF-8."""
        bounds = [0, *(bound for span in self.spans for bound in span)]
        sizes = (len(self.text[start:stop].encode()) for start, stop in pairwise(bounds))
        bytes_at = list(accumulate(sizes))
        return tuple(zip(bytes_at[::2], bytes_at[1::2], strict=True))

    def words_in(self, start: int, stop: int) -> range:
        """The words with a character in ``start`` to ``stop`` (exclusive)."""
        first = bisect_right(self.spans, start, key=lambda span: span[1])
        last = first
        while start < stop and last < len(self.spans) and self.spans[last][0] < stop:
            last += 1
        return range(first, last)


def from_words(words: Sequence[str]) -> SegmentedText:
    """A text made from words, with one space between them.

    Example::

        >>> from_words(["red", "house"])
        SegmentedText(text='red house', spans=((0, 3), (4, 9)))
    """
    spans, start = [], 0
    for word in words:
        spans.append((start, start + len(word)))
        start += len(word) + 1
    return SegmentedText(" ".join(words), tuple(spans))


def inside_grapheme(text: str, index: int) -> bool:
    """Whether a position is inside a grapheme: before a mark, a joiner or the second half of a flag.

    Example::

        >>> inside_grapheme("e\N{COMBINING ACUTE ACCENT}a", 1), inside_grapheme("e\N{COMBINING ACUTE ACCENT}a", 2)
        (True, False)
    """
    if not 0 < index < len(text):
        return False
    before, after = text[index - 1], text[index]
    if before in "\r\n" or after in "\r\n":
        return before + after == "\r\n"
    kind = unicodedata.category(after)[0]
    # A joiner at the end of a word, as in older Malayalam, joins nothing.
    if kind == "M" or after in _EXTENDING or (before == _JOINER and kind in "LS"):
        return True
    flags = 0
    while flags < index and text[index - 1 - flags] in _FLAG_LETTERS:
        flags += 1
    return after in _FLAG_LETTERS and flags % 2 == 1


_JOINER = "\N{ZERO WIDTH JOINER}"
_SKIN_TONES = "".join(map(chr, range(0x1F3FB, 0x1F400)))
_EXTENDING = {_JOINER, "\N{ZERO WIDTH NON-JOINER}", *_SKIN_TONES}
_FLAG_LETTERS = {chr(code) for code in range(0x1F1E6, 0x1F200)}
