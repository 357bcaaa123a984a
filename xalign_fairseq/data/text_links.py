"""Word links that come with a bitext: do they fit its sentences?"""

from xalign_fairseq.data.binarize import PairText
from xalign_fairseq.data.tokenizer import split_words
from xalign_fairseq.launch.workers import Workers
from xalign_fairseq.links.pharaoh import Link, check_bounds, parse_line


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
    pairs = zip(*_links_and_lengths(part), strict=True)
    return all(i < n and j < m for links, (n, m) in pairs for i, j in links)


def _links_and_lengths(text: PairText) -> tuple[list[frozenset[Link]], list[tuple[int, int]]]:
    file = text.links_file
    if file is None:
        return [], []
    links = [
        parse_line(line, where=f"{file.path}, line {number}").possible
        for number, line in enumerate(file.read(), file.first + 1)
    ]
    sides = [[len(split_words(line)) for line in side.read()] for side in text.sources]
    return links, list(zip(*sides, strict=True))
