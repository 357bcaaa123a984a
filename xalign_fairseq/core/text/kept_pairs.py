"""Raw sentence pairs whose words are found once, however often they are read."""

import os
from array import array
from collections.abc import Iterator
from itertools import chain
from tempfile import TemporaryFile
from typing import IO

from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.text.pairs import SentencePairs, WordPair
from xalign_fairseq.core.text.segmentation import Segmenter
from xalign_fairseq.core.text.segmented import SegmentedText


class KeptPairs(SentencePairs):
    """Pairs that are segmented once: the first whole reading keeps where words are in a file without a name.

    Args:
        src, tgt, split: as of :class:`SentencePairs`.
        folder: where the file is: 4 bytes for each word, 8 in lines of 65,536 and more characters.

    Example::

        pairs = KeptPairs("a.ja", "a.en", find_segmenters("auto"), folder=Path())
        number_words(pairs), list(pairs)  # the segmenters see each line once
    """

    def __init__(self, src: StrPath, tgt: StrPath, split: tuple[Segmenter, Segmenter], folder: StrPath):
        super().__init__(src, tgt, split)
        self._folder, self._find = folder, split
        self._kept: IO[bytes] | None = None

    def __iter__(self) -> Iterator[WordPair]:
        lines = zip(read_lines(self._src), read_lines(self.paths[1]), strict=True)
        if self._kept:
            place = 0
            for pair in lines:
                src, place = self._words_at(place, pair[0])
                tgt, place = self._words_at(place, pair[1])
                yield src, tgt
            return
        kept = TemporaryFile(dir=self._folder)  # noqa: SIM115 (it lives as long as the pairs)
        for pair in lines:
            src, tgt = (find(line) for find, line in zip(self._find, pair, strict=True))
            for text in (src, tgt):
                array(_number(text.text), [len(text), *chain.from_iterable(text.spans)]).tofile(kept)
            yield src, tgt
        kept.flush()
        self._kept = kept

    def _words_at(self, place: int, line: str) -> tuple[SegmentedText, int]:
        """A line with its words, and the place in the file after them. Several readings may go on at once."""
        assert self._kept
        file, numbers = self._kept.fileno(), array(_number(line))
        numbers.frombytes(os.pread(file, numbers.itemsize, place))
        place += numbers.itemsize
        size = 2 * numbers.pop() * numbers.itemsize
        numbers.frombytes(os.pread(file, size, place))
        bounds = iter(numbers)
        return SegmentedText(line, tuple(zip(bounds, bounds, strict=True))), place + size


def _number(line: str) -> str:
    """The type of array for numbers up to the length of a line."""
    return "H" if len(line) < 1 << 16 else "I"
