"""From scores of links to probabilities that mean what they say, and how far they are from it."""

from typing import NamedTuple

import numpy as np

from xalign_fairseq.core.errors import XalignError

STEPS = 50
BINS = 10
EDGE = 1e-6


class Calibration(NamedTuple):
    r"""Platt scaling of a score's log-odds, :math:`p = \sigma(a \, \mathrm{logit}(s) + b)`; 1/a is the temperature."""

    slope: float
    shift: float

    def probability(self, scores: np.ndarray) -> np.ndarray:
        """The probability of each score; increases with it."""
        return np.asarray(1 / (1 + np.exp(-(self.slope * log_odds(scores) + self.shift))))

    def score(self, probability: float) -> float:
        """The score that has a probability: the inverse of :meth:`probability`."""
        odds = (float(log_odds(np.array(probability))) - self.shift) / self.slope
        return float(1 / (1 + np.exp(-odds)))


def log_odds(scores: np.ndarray) -> np.ndarray:
    """log(s / (1 - s)), of scores that are kept off 0 and 1."""
    scores = np.clip(scores, EDGE, 1 - EDGE)
    return np.asarray(np.log(scores / (1 - scores)))


def fit_calibration(scores: np.ndarray, hits: np.ndarray) -> Calibration:
    """Maximum-likelihood fit to gold links, by Newton's steps (Platt, 1999): scores (L,) and whether each is gold (L,).

    Raises:
        XalignError: all or none of them are.
    """
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
