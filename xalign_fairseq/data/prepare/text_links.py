"""Check that the word links of a bitext fit its sentences."""

import math
from functools import partial

import numpy as np

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.text.corpus import TextFile
from xalign_fairseq.core.text.lines import split_words
from xalign_fairseq.core.workers import Workers
from xalign_fairseq.data.prepare.binarize import PairText
from xalign_fairseq.data.prepare.filters import Filters
from xalign_fairseq.links.arrays import link_arrays
from xalign_fairseq.links.pharaoh import Link, check_bounds, parse_line

SIDE_DTYPE = np.dtype(np.uint16)  # of word indices and links
MOST_WORDS = int(np.iinfo(SIDE_DTYPE).max) + 1


def require_fitting_links(text: PairText, filters: Filters, run: Workers) -> None:
    """Raise :class:`XalignError` if links can't be written with their sentences; a text without links is fine.

    They can't if one is malformed or lies outside its sentences, or if a sentence has more than :data:`MOST_WORDS`
    words. The error names line, link and lengths. Only a file that does not fit is read completely, to find out whether
    it looks 1-based.
    """
    if text.links_file is None:
        return
    is_filtered = filters.max_length is not None and filters.max_length <= MOST_WORDS
    most_words = math.inf if is_filtered else MOST_WORDS
    if not all(run(partial(_fits, most_words), text.parts())):
        for file in text.sources:
            _require_few_words(file, most_words)
        check_bounds(*_links_and_lengths(text), where=text.links_file.path, first=text.links_file.first + 1)


def _fits(most_words: float, part: PairText) -> bool:
    assert part.links_file is not None
    try:
        links = link_arrays(part.links_file.read())
    except XalignError:
        return False  # which is to be named with its place
    lengths = [_lengths(file) for file in part.sources]
    return max(each.max() for each in lengths) <= most_words and all(
        (words < counts[links.rows]).all() for words, counts in zip(links[1:3], lengths, strict=True)
    )


def _require_few_words(file: TextFile, most_words: float) -> None:
    for number, words in enumerate(_lengths(file).tolist(), file.first + 1):
        if words > most_words:
            raise XalignError(
                "a sentence has too many words to be linked",
                where=f"{file.path}, line {number}",
                found=f"{counted(words, 'word')}",
                expected=f"at most {MOST_WORDS:,} in a text with links",
                remedy=("take its line out of both sides and the links, in training text by", Parameter("max_length")),
            )


def _lengths(file: TextFile) -> np.ndarray:
    return np.array([len(split_words(line)) for line in file.read()], dtype=np.int64)


def _links_and_lengths(text: PairText) -> tuple[list[frozenset[Link]], list[tuple[int, int]]]:
    file = text.links_file
    if file is None:
        return [], []
    links = [
        parse_line(line, where=f"{file.path}, line {number}").possible
        for number, line in enumerate(file.read(), file.first + 1)
    ]
    return links, list(zip(*(_lengths(side).tolist() for side in text.sources), strict=True))
