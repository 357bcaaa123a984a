"""Which scores become links, and what probability a score stands for, from gold links or from other languages' gold."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from xalign_fairseq.aligner.statistical.calibration import Calibration, calibration_error, fit_calibration
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.growing import grown_links, links_above
from xalign_fairseq.links.pharaoh import Gold

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(3, 15))
CANDIDATE = 0.05  # pairs of words below this score are not candidates of links


class Choice(NamedTuple):
    """Least scores of a link, by itself and next to others (:mod:`~xalign_fairseq.links.growing`); probabilities."""

    threshold: float
    growth: float
    calibration: Calibration


USUAL = Choice(0.5, 0.3, Calibration(1.036, 0.337))
"""For a text without development set: chosen on the gold of five development sets of en-es, en-fr and en-hi."""


class Report(NamedTuple):
    """On a development set: AER by the choice, and calibration errors of scores and of probabilities."""

    aer: float
    error_before: float
    error_after: float


def choose(scores: Sequence[np.ndarray | None], golds: Sequence[Gold]) -> tuple[Choice, Report]:
    """Threshold and growth of the lowest AER, and calibration to the links that are possible, on a development set."""
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
