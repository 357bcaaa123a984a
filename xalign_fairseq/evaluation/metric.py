"""A metric is a few counts per test item and a function of their sum, so test sets can be resampled."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Metric:
    """A score, a fraction (higher is better), from counts that add up over items.

    Attributes:
        columns: the counts' names, such as ``("correct", "words")``.
        count: (gold, prediction, language) -> the item's counts, one number per column.
        value: summed counts (..., K) float64 -> (...,) float64; 0 where the denominator is 0.
        variant: a phrase for the signature, which distinguishes definitions of the same name.
    """

    name: str
    columns: tuple[str, ...]
    count: Callable[[Any, Any, str], Sequence[float]]
    value: Callable[[np.ndarray], np.ndarray]
    variant: str

    def counts(self, golds: Sequence[Any], predictions: Sequence[Any], language: str) -> np.ndarray:
        """Counts (N, K) float64 of N items."""
        rows = [self.count(gold, mine, language) for gold, mine in zip(golds, predictions, strict=True)]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(self.columns))

    def score(self, counts: np.ndarray) -> float:
        """The metric of a whole set from its items' counts (N, K)."""
        return float(self.value(counts.sum(0)))


def ratio(totals: np.ndarray) -> np.ndarray:
    """First count over second: (..., 2) -> (...,); 0 / 0 is 0."""
    part, whole = totals[..., 0], totals[..., 1]
    return np.divide(part, whole, out=np.zeros_like(part, dtype=np.float64), where=whole > 0)


def f1(totals: np.ndarray) -> np.ndarray:
    """2 hits / (predicted + gold) of counts (hits, predicted, gold): (..., 3) -> (...,); 0 / 0 is 0."""
    hits, predicted, gold = np.moveaxis(np.asarray(totals, dtype=np.float64), -1, 0)
    whole = predicted + gold
    return np.divide(2 * hits, whole, out=np.zeros_like(hits), where=whole > 0)


def _count(gold: str, prediction: str, language: str) -> tuple[float, float]:
    return float(gold == prediction), 1.0


ACCURACY = Metric("accuracy", ("correct", "items"), _count, ratio, "share of items whose label is equal")
