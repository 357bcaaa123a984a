"""Which scores become links, and what probability a score stands for, from gold links or from other languages' gold."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from xalign_fairseq.links.aer import score
from xalign_fairseq.links.pharaoh import Gold, Link
from xalign_fairseq.links.symmetrize import NEIGHBOURS
from xalign_fairseq.statistical.calibration import Calibration, calibration_error, fit_calibration

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(3, 15))
CANDIDATE = 0.05  # pairs of words below this score are no candidates of links


class Choice(NamedTuple):
    """The least scores of a link, alone and where links grow (see :func:`grown_links`); the probability of a score."""

    threshold: float
    growth: float
    calibration: Calibration


USUAL = Choice(0.5, 0.3, Calibration(1.036, 0.337))
"""Where a text has no development set: chosen on the gold of five development sets of en-es, en-fr and en-hi."""


class Report(NamedTuple):
    """On a development set: AER by the choice, and calibration errors of scores and of probabilities."""

    aer: float
    error_before: float
    error_after: float


def links_above(scores: np.ndarray | None, threshold: float) -> dict[Link, float]:
    """The links of a pair and their scores; none of one that is too long."""
    if scores is None:
        return {}
    return {(int(i), int(j)): float(scores[i, j]) for i, j in zip(*np.nonzero(scores >= threshold), strict=True)}


def grown_links(scores: np.ndarray | None, threshold: float, growth: float) -> dict[Link, float]:
    """Links from a threshold on, and weaker ones where they fit in, as grow-diag-final-and does (Koehn et al., 2005).

    From the best weaker one down, links are added that neighbour a link, diagonally too, and have a word without any,
    until there are none; then those between two words without any.

    Args:
        scores: (words of the source, words of the target), or ``None``: no links.
        threshold: the least score of the links that the others grow from.
        growth: the least score of these others, at most ``threshold``; at it, none grow.

    Example::

        grown_links(np.array([[0.9, 0.3], [0.1, 0.2]]), 0.45, 0.25)  # {(0, 0): 0.9, (0, 1): 0.3}
    """
    links = links_above(scores, threshold)
    weaker = sorted(links_above(scores, growth).items() - links.items(), key=lambda each: (-each[1], each[0]))
    src, tgt = {i for i, _ in links}, {j for _, j in links}

    def add(fits: Callable[[int, int], bool]) -> bool:
        before = len(links)
        for (i, j), value in weaker:
            if fits(i, j):
                links[i, j] = value
                src.add(i)
                tgt.add(j)
        return len(links) > before

    # A link that was added has no free word any more, so that it is not added again.
    while add(lambda i, j: not (i in src and j in tgt) and any((i + a, j + b) in links for a, b in NEIGHBOURS)):
        pass
    add(lambda i, j: i not in src and j not in tgt)
    return dict(sorted(links.items()))


def choose(scores: Sequence[np.ndarray | None], golds: Sequence[Gold]) -> tuple[Choice, Report]:
    """Threshold and growth of the lowest AER, and calibration to the links that are possible, on a development set.

    Example::

        choice, report = choose(mean_scores(models, pairs), read_gold("dev.gold"))
    """
    # Of equals, the lowest threshold, and the least growth from it.
    grid = [(at, growth) for at in THRESHOLDS for growth in reversed(THRESHOLDS) if growth <= at]
    errors = {at: score([set(grown_links(each, *at)) for each in scores], golds).aer for at in grid}
    best = min(grid, key=errors.__getitem__)
    values, hits = candidates(scores, golds)
    calibration = fit_calibration(values, hits)
    before, after = (calibration_error(each, hits) for each in (values, calibration.probability(values)))
    return Choice(*best, calibration), Report(errors[best], before, after)


def candidates(scores: Sequence[np.ndarray | None], golds: Sequence[Gold]) -> tuple[np.ndarray, np.ndarray]:
    """Scores (L,) of the pairs of words that could be links, and whether gold has them."""
    found = [
        (value, link in gold.possible)
        for each, gold in zip(scores, golds, strict=True)
        for link, value in links_above(each, CANDIDATE).items()
    ]
    return np.array([value for value, _ in found]), np.array([hit for _, hit in found], bool)
