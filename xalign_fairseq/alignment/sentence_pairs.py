"""Sentence pairs from two text files or from one ``src ||| tgt`` file, checked before long work begins."""

import os
from collections.abc import Iterator

from xalign_fairseq.data.tokenizer import split_words
from xalign_fairseq.errors import XalignError
from xalign_fairseq.files import read_lines

SEPARATOR = "|||"
WordPair = tuple[list[str], list[str]]


class SentencePairs:
    """The pairs of words of two files with equally many lines, or of one file of ``src ||| tgt`` lines.

    A line is split at white space into the words that links count; an empty line is a pair with an empty side. The
    whole input is read once when the object is made, so that a bad line is found at once, and again at each iteration,
    so that a file of any length fits in memory.

    Raises:
        XalignError: a missing, empty or undecodable file, line counts that differ (both are given), or a line of a
            pairs file without exactly one separator.

    Example::

        for src, tgt in SentencePairs("test.en", "test.de"):
            ...  # two lists of words
    """

    def __init__(self, src: str | os.PathLike, tgt: str | os.PathLike | None = None):
        self._src, self._tgt = src, tgt
        if tgt is None:
            self._length = sum(1 for _ in self._from_one())
            return
        lengths = [sum(1 for _ in read_lines(path)) for path in (src, tgt)]
        if lengths[0] != lengths[1]:
            raise XalignError(
                "the two sides differ in their number of lines",
                where=f"{src}, {tgt}",
                found=f"{lengths[0]} and {lengths[1]} lines",
                expected="as many lines on both sides",
                next="look for a line break inside a sentence, or for a side that was filtered by itself",
            )
        self._length = lengths[0]

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[WordPair]:
        return self._from_one() if self._tgt is None else self._from_two(self._tgt)

    def _from_two(self, tgt: str | os.PathLike) -> Iterator[WordPair]:
        for left, right in zip(read_lines(self._src), read_lines(tgt), strict=True):
            yield split_words(left), split_words(right)

    def _from_one(self) -> Iterator[WordPair]:
        for number, line in enumerate(read_lines(self._src), 1):
            words = split_words(line)
            if words.count(SEPARATOR) != 1:
                raise XalignError(
                    "a line of the pairs file is not a pair",
                    where=f"{self._src}, line {number}",
                    found=f"{words.count(SEPARATOR)} separators",
                    expected=f"one {SEPARATOR} between blanks: source {SEPARATOR} target",
                )
            middle = words.index(SEPARATOR)
            yield words[:middle], words[middle + 1 :]
