"""Choose links by their scores, and turn scores into probabilities; fitted to gold links of any languages."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.growing import grown_links, links_above
from xalign_fairseq.links.pharaoh import Gold

STEPS = 50
BINS = 10
EDGE = 1e-6


class Calibration(NamedTuple):
    r"""Platt scaling of a score's log-odds, :math:`p = \sigma(a \, \mathrm{logit}(s) + b)`; 1/a is the temperature."""

    slope: float
    shift: float

    def probability(self, scores: np.ndarray) -> np.ndarray:
        """The probability of each score; it increases with the score."""
        return np.asarray(1 / (1 + np.exp(-(self.slope * log_odds(scores) + self.shift))))

    def score(self, probability: float) -> float:
        """The score of a probability: the inverse of :meth:`probability`."""
        odds = (float(log_odds(np.array(probability))) - self.shift) / self.slope
        return float(1 / (1 + np.exp(-odds)))


def log_odds(scores: np.ndarray) -> np.ndarray:
    """log(s / (1 - s)), with scores clipped away from 0 and 1."""
    scores = np.clip(scores, EDGE, 1 - EDGE)
    return np.asarray(np.log(scores / (1 - scores)))


def fit_calibration(scores: np.ndarray, hits: np.ndarray) -> Calibration:
    """Fit to scores (L,), each gold or not, by maximum likelihood with Newton's method (Platt, 1999)."""
    hits = np.asarray(hits, float)
    if not 0 < hits.sum() < len(hits):
        raise XalignError(
            "probabilities can't be calibrated on these links",
            found=f"{int(hits.sum())} gold ones among {len(hits)} candidates",
            expected="some that are gold and some that are not",
            remedy="use a larger development set, or none; what was learned is kept",
        )
    inputs = np.stack([log_odds(scores), np.ones(len(hits))], 1)
    weights = np.array([1.0, 0.0])
    for _ in range(STEPS):
        predicted = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        gradient = inputs.T @ (hits - predicted) - 1e-3 * (weights - [1.0, 0.0])
        hessian = (inputs * (predicted * (1 - predicted))[:, None]).T @ inputs + 1e-3 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        weights = weights + step * min(1.0, 2 / max(1e-12, np.abs(step).max()))
        if np.abs(step).max() < 1e-8:
            break
    return Calibration(max(float(weights[0]), 1e-3), float(weights[1]))


def calibration_error(probabilities: np.ndarray, hits: np.ndarray) -> float:
    """Expected calibration error over ten bins of equal width (Guo et al., 2017)."""
    bins = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, probabilities - hits, BINS)
    return float(np.abs(gaps).sum() / max(1, len(hits)))


THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(3, 15))
CANDIDATE = 0.05  # pairs of words below this score are not candidates of links


class Choice(NamedTuple):
    """Least scores of a link, alone and next to others (:mod:`~xalign_fairseq.links.symmetrize`); calibration."""

    threshold: float
    growth: float
    calibration: Calibration


USUAL = Choice(0.5, 0.3, Calibration(1.036, 0.337))
"""For a text without development set: chosen on the gold of five development sets of en-es, en-fr and en-hi."""


class Report(NamedTuple):
    """On a development set: AER of the choice, and calibration errors of scores and of probabilities."""

    aer: float
    error_before: float
    error_after: float


def choose(scores: Sequence[np.ndarray | None], golds: Sequence[Gold]) -> tuple[Choice, Report]:
    """Threshold and growth of lowest AER, and calibration to possible links, on a development set."""
    # At equal AER, take the lowest threshold, then the lowest growth.
    grid = [(at, growth) for at in THRESHOLDS for growth in reversed(THRESHOLDS) if growth <= at]
    errors = {at: score([set(grown_links(each, *at)) for each in scores], golds).aer for at in grid}
    best = min(grid, key=errors.__getitem__)
    values, hits = candidates(scores, golds)
    calibration = fit_calibration(values, hits)
    before, after = (calibration_error(each, hits) for each in (values, calibration.probability(values)))
    return Choice(*best, calibration), Report(errors[best], before, after)


def candidates(scores: Sequence[np.ndarray | None], golds: Sequence[Gold]) -> tuple[np.ndarray, np.ndarray]:
    """Scores (L,) of pairs of words, and whether they are gold links."""
    found = [
        (value, link in gold.possible)
        for each, gold in zip(scores, golds, strict=True)
        for link, value in links_above(each, CANDIDATE).items()
    ]
    return np.array([value for value, _ in found]), np.array([hit for _, hit in found], bool)
