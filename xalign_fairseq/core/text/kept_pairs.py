"""Raw sentence pairs whose words are found once, however often they are read."""

import sys
from array import array
from collections.abc import Iterator
from itertools import chain
from mmap import ACCESS_READ, mmap
from tempfile import TemporaryFile

from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.text.pairs import SentencePairs, WordPair
from xalign_fairseq.core.text.segmentation import Segmenter
from xalign_fairseq.core.text.segmented import SegmentedText


class KeptPairs(SentencePairs):
    """Pairs that are segmented once: the first complete reading stores the positions of words in a file without a name.

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
        self._kept: memoryview | None = None

    def __iter__(self) -> Iterator[WordPair]:
        lines = zip(read_lines(self._src), read_lines(self.paths[1]), strict=True)
        if self._kept is not None:
            place = 0
            for pair in lines:
                src, place = _words_at(self._kept, place, pair[0])
                tgt, place = _words_at(self._kept, place, pair[1])
                yield src, tgt
            return
        with TemporaryFile(dir=self._folder) as kept:
            for pair in lines:
                src, tgt = (find(line) for find, line in zip(self._find, pair, strict=True))
                for text in (src, tgt):
                    array(_number(text.text), [len(text), *chain.from_iterable(text.spans)]).tofile(kept)
                yield src, tgt
            kept.flush()
            # The map keeps the file open, and several readings may run at the same time.
            self._kept = memoryview(mmap(kept.fileno(), 0, access=ACCESS_READ) if kept.tell() else b"")


def _words_at(kept: memoryview, place: int, line: str) -> tuple[SegmentedText, int]:
    """A line with its words, and the place after them."""
    bounds = array(_number(line))
    first = place + bounds.itemsize
    end = first + 2 * bounds.itemsize * int.from_bytes(kept[place:first], sys.byteorder)
    bounds.frombytes(kept[first:end])
    each = iter(bounds)
    return SegmentedText(line, tuple(zip(each, each, strict=True))), end


def _number(line: str) -> str:
    """The type of array for numbers up to the length of a line."""
    return "H" if len(line) < 1 << 16 else "I"
