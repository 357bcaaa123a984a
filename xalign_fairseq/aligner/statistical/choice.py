"""Minimum scores of links, and probabilities from scores; fitted to gold links of any languages."""

from typing import NamedTuple

import numpy as np

from xalign_fairseq.core.errors import XalignError

STEPS = 50
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
            remedy="use more gold links",
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


class Choice(NamedTuple):
    """Minimum scores of a link, alone and next to others (:mod:`~xalign_fairseq.links.growing`); calibration."""

    threshold: float
    growth: float
    calibration: Calibration


USUAL = Choice(0.5, 0.3, Calibration(1.036, 0.337))
"""Chosen on the gold of five development sets of en-es, en-fr and en-hi."""
