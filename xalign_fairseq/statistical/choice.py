"""Which scores become links, and what probability a score stands for, from gold links or from other languages' gold."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from xalign_fairseq.links.aer import score
from xalign_fairseq.links.pharaoh import Gold, Link
from xalign_fairseq.statistical.calibration import Calibration, calibration_error, fit_calibration

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(3, 15))
CANDIDATE = 0.05  # pairs of words below this score are no candidates of links


class Choice(NamedTuple):
    """The least score of a link, and the probability of a score."""

    threshold: float
    calibration: Calibration


USUAL = Choice(0.4, Calibration(0.949, 0.222))
"""Where a text has no development set: chosen on the gold of five development sets of en-es, en-fr and en-hi."""


class Report(NamedTuple):
    """On a development set: AER at the threshold, and calibration errors of scores and of probabilities."""

    aer: float
    error_before: float
    error_after: float


def links_above(scores: np.ndarray | None, threshold: float) -> dict[Link, float]:
    """The links of a pair and their scores; none of one that is too long."""
    if scores is None:
        return {}
    return {(int(i), int(j)): float(scores[i, j]) for i, j in zip(*np.nonzero(scores >= threshold), strict=True)}


def choose(scores: Sequence[np.ndarray | None], golds: Sequence[Gold]) -> tuple[Choice, Report]:
    """Threshold of the lowest AER, and calibration to the links that are possible, on a development set.

    Example::

        choice, report = choose(mean_scores(models, pairs), read_gold("dev.gold"))
    """
    errors = [(score([set(links_above(each, at)) for each in scores], golds).aer, at) for at in THRESHOLDS]
    aer, threshold = min(errors)
    values, hits = candidates(scores, golds)
    calibration = fit_calibration(values, hits)
    before, after = (calibration_error(each, hits) for each in (values, calibration.probability(values)))
    return Choice(threshold, calibration), Report(aer, before, after)


def candidates(scores: Sequence[np.ndarray | None], golds: Sequence[Gold]) -> tuple[np.ndarray, np.ndarray]:
    """Scores (L,) of the pairs of words that could be links, and whether gold has them."""
    found = [
        (value, link in gold.possible)
        for each, gold in zip(scores, golds, strict=True)
        for link, value in links_above(each, CANDIDATE).items()
    ]
    return np.array([value for value, _ in found]), np.array([hit for _, hit in found], bool)
