"""Word links that come with a bitext: do they fit its sentences?"""

import numpy as np

from xalign_fairseq.data.binarize import PairText
from xalign_fairseq.data.tokenizer import split_words
from xalign_fairseq.errors import XalignError
from xalign_fairseq.launch.workers import Workers
from xalign_fairseq.links.arrays import link_arrays
from xalign_fairseq.links.pharaoh import Link, check_bounds, parse_line
from xalign_fairseq.text.corpus import TextFile


def require_fitting_links(text: PairText, run: Workers) -> None:
    """Raise :class:`XalignError` if a link is malformed or lies outside its sentences; a text without links is fine.

    The error names line, link and lengths. Only a file that does not fit is held as a whole, to say whether it looks
    1-based.

    Example::

        with processes(4) as run:
            require_fitting_links(text, run)
    """
    if text.links_file is not None and not all(run(_fits, text.parts())):
        check_bounds(*_links_and_lengths(text), where=text.links_file.path)


def _fits(part: PairText) -> bool:
    assert part.links_file is not None
    try:
        links = link_arrays(part.links_file.read())
    except XalignError:
        return False  # which is to be named with its place
    lengths = (_lengths(file) for file in part.sources)
    return all((words < counts[links.rows]).all() for words, counts in zip(links[1:3], lengths, strict=True))


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
