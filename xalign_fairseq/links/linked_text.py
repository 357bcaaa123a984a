"""Sentence pairs with a third file that has one line per pair: links or other facts."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.text.pairs import SentencePairs, require_texts
from xalign_fairseq.core.text.segmentation import find_segmenters
from xalign_fairseq.core.text.segmented import SegmentedText
from xalign_fairseq.links.pharaoh import Link, check_bounds, parse_line, require_links_of

# Links of words separated by spaces are also valid links of finer words, but of the wrong ones. If this number of sides
# has at least two more words, and no link exceeds the number of words between spaces, this is not by chance.
ENOUGH = 20


class LinkedLine(NamedTuple):
    """The three lines of a pair, unchanged; ``number`` counts from 1."""

    number: int
    src: str
    tgt: str
    links: str


LinkedPair = tuple[SegmentedText, SegmentedText, frozenset[Link]]


class LinkedText:
    r"""The pairs of two files with their links, line by line: words of both sides, and sure and possible links.

    Args:
        links: one line of Pharaoh links per pair.
        segment: the segmenter that the text was aligned with
            (:func:`~xalign_fairseq.core.text.segmentation.find_segmenters`).
        table: the third file is a table; the caller of :meth:`lines` reads the links in it.

    Raises:
        XalignError: the files differ in their numbers of lines; or, during the iteration, a link is malformed or
            outside its sentences (the error names the line), or the links are of words between spaces and ``segment``
            finds others.

    Example::

        >>> from pathlib import Path
        >>> for name, line in (("a.en", "the house"), ("a.de", "das Haus"), ("a.links", "0-0 1-1")):
        ...     _ = Path(name).write_text(f"{line}\n")
        >>> [(src[i], tgt[j]) for src, tgt, links in LinkedText("a.en", "a.de", "a.links") for i, j in sorted(links)]
        [('the', 'das'), ('house', 'Haus')]
    """

    def __init__(self, src: StrPath, tgt: StrPath, links: StrPath, segment: str = "auto", table: bool = False):
        self._split = find_segmenters(segment)
        self._src, self._tgt, self._links, self._table = src, tgt, links, table
        require_texts(src, tgt)
        self._length = len(SentencePairs(src, tgt))
        require_links_of(self._length, sum(1 for _ in read_lines(links, table)), links)

    @property
    def paths(self) -> tuple[str, str, str]:
        """The three files."""
        return os.fspath(self._src), os.fspath(self._tgt), os.fspath(self._links)

    def __len__(self) -> int:
        return self._length

    def lines(self) -> Iterator[LinkedLine]:
        """The unchanged lines of each pair."""
        texts = zip(read_lines(self._src), read_lines(self._tgt), read_lines(self._links, self._table), strict=True)
        for number, texts_of_pair in enumerate(texts, 1):
            yield LinkedLine(number, *texts_of_pair)

    def __iter__(self) -> Iterator[LinkedPair]:
        # Linked sides with at least two more words than spaces separate, and whether a link needs such words.
        finer, beyond = 0, False
        for line in self.lines():
            *sides, links = pair = self.pair(line)
            for side, text in enumerate((line.src, line.tgt)):
                words = len(text.split())
                finer += bool(links) and len(sides[side]) >= words + 2
                beyond = beyond or any(link[side] >= words for link in links)
            yield pair
        if finer >= ENOUGH and not beyond:
            raise XalignError(
                "the links seem to be of words separated by spaces",
                where=self._links,
                found="no link to a word that only the segmenter finds",
                remedy=("set", Parameter("segment", "spaces"), "or align with the same segmenter"),
            )

    def pair(self, line: LinkedLine) -> LinkedPair:
        """The words of a pair and its links."""
        src, tgt = (split(text) for split, text in zip(self._split, (line.src, line.tgt), strict=True))
        links = parse_line(line.links, where=f"{self._links}, line {line.number}").possible
        check_bounds([links], [(len(src), len(tgt))], where=self._links, first=line.number, segmented=True)
        return src, tgt, links
