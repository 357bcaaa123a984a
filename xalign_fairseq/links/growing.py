"""Links from word-pair scores: strong links, and weaker links next to them."""

from collections.abc import Callable

import numpy as np

from xalign_fairseq.links.pharaoh import Link
from xalign_fairseq.links.symmetrize import NEIGHBOURS


def links_above(scores: np.ndarray | None, threshold: float) -> dict[Link, float]:
    """The links of a pair and their scores; empty for a pair that is too long."""
    if scores is None:
        return {}
    places = np.nonzero(scores >= threshold)
    return dict(zip(zip(*(at.tolist() for at in places), strict=True), scores[places].tolist(), strict=True))


def grown_links(scores: np.ndarray | None, threshold: float, growth: float) -> dict[Link, float]:
    """Links of at least a threshold, and weaker links added as in grow-diag-final-and (Koehn et al., 2005).

    Weaker links, best first, are added if they are next to a link (also diagonally) and have a word without a link,
    until nothing changes. Then weaker links between two words without links are added. Their minimum score is
    ``growth``, at most ``threshold``.
    """
    links = links_above(scores, threshold)
    weaker = sorted(links_above(scores, growth).items() - links.items(), key=lambda each: (-each[1], each[0]))
    if not weaker:
        return links
    src, tgt = {i for i, _ in links}, {j for _, j in links}

    def add(fits: Callable[[int, int], bool]) -> bool:
        before = len(links)
        for (i, j), value in weaker:
            if fits(i, j):
                links[i, j] = value
                src.add(i)
                tgt.add(j)
        return len(links) > before

    # An added link has no free word, so it is not added twice.
    while add(lambda i, j: not (i in src and j in tgt) and any((i + a, j + b) in links for a, b in NEIGHBOURS)):
        pass
    add(lambda i, j: i not in src and j not in tgt)
    return dict(sorted(links.items()))
