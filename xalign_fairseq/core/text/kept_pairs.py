"""Raw sentence pairs whose words are found once, however often they are read."""

from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from tempfile import TemporaryFile

from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.text.pairs import SentencePairs, WordPair
from xalign_fairseq.core.text.segmentation import Segmenter
from xalign_fairseq.core.text.segmented import SegmentedText


class KeptPairs(SentencePairs):
    """Pairs that are segmented once: the first complete reading stores their words in a file without a name.

    The file in ``folder`` is as large as both sides with a space after each word; no word has white space in it.
    """

    def __init__(self, src: StrPath, tgt: StrPath, split: tuple[Segmenter, Segmenter], folder: StrPath):
        super().__init__(src, tgt, split)
        self._folder, self._find = folder, split
        self._kept: mmap | None = None

    def __iter__(self) -> Iterator[WordPair]:
        lines = zip(read_lines(self._src), read_lines(self.paths[1]), strict=True)
        if kept := self._kept:
            end = -1
            for pair in lines:
                start, end = end + 1, kept.find(b"\n", end + 1)
                words = kept[start:end].decode().split("\t")
                src, tgt = (SegmentedText.of_words(line, each.split()) for line, each in zip(pair, words, strict=True))
                yield src, tgt
            return
        with TemporaryFile(dir=self._folder) as out:
            for pair in lines:
                src, tgt = (find(line) for find, line in zip(self._find, pair, strict=True))
                out.write(f"{' '.join(src.words)}\t{' '.join(tgt.words)}\n".encode())
                yield src, tgt
            out.flush()
            # The map keeps the file open, and several readings may run at the same time.
            self._kept = mmap(out.fileno(), 0, access=ACCESS_READ)
