"""Scores of several runs: mean and deviation, paired bootstrap tests, Holm's correction, rank correlation."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links.bootstrap import (
    PairedTest,
    check_options,
    paired_test,
    percentile_interval,
    resampled,
    resampling_weights,
)

EXACT_UP_TO = 8  # up to this number of points, all permutations are tried: 40,320

# Summed counts (..., K) -> score (...,).
Value = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Summary:
    """Mean and sample deviation of the scores of several runs; one run has no deviation."""

    mean: float
    deviation: float | None
    runs: int


def summarise(scores: Sequence[float]) -> Summary:
    r"""Mean and :math:`\sqrt{\sum_i (x_i - \bar x)^2 / (n - 1)}`; the deviation of one score is ``None``."""
    if not scores:
        raise XalignError("there is no score to average")
    deviation = float(np.std(scores, ddof=1)) if len(scores) > 1 else None
    return Summary(float(np.mean(scores)), deviation, len(scores))


def bootstrap_interval(counts: np.ndarray, value: Value, *, samples: int = 1000, seed: int = 1) -> tuple[float, float]:
    """Percentile interval of one system's score over resampled test items (Efron, 1979).

    ``counts`` (N, K) has one row per item; ``value`` maps summed counts (..., K) to scores (...,).

    Raises:
        XalignError: no item, or invalid options.
    """
    check_options(samples, seed)
    if not len(counts):
        raise XalignError("there is no item to resample")
    return percentile_interval(resampled([counts], value, samples, seed)[0])


@dataclass(frozen=True)
class Resampled:
    """Scores of a system's runs, for each of L test sets: (S,) float64, and (R, S) on R resamples of its items."""

    scores: list[np.ndarray]
    drawn: list[np.ndarray]
    items: list[int]

    def runs(self, chosen: Sequence[int]) -> "Resampled":
        """Only some of its runs."""
        return Resampled([each[chosen] for each in self.scores], [each[:, chosen] for each in self.drawn], self.items)


@dataclass(frozen=True)
class Comparison:
    """The second system's scores minus the first's on L test sets: (L,) float64, and (R, L) of R resamples."""

    differences: np.ndarray
    drawn: np.ndarray
    items: list[int]

    @classmethod
    def of_items(cls, first: Resampled, second: Resampled) -> "Comparison":
        r"""Paired bootstrap over test items of the difference between two systems' means over their runs.

        .. math:: d = \frac{1}{S_2} \sum_s v(C^{(2)}_s) - \frac{1}{S_1} \sum_s v(C^{(1)}_s)

        with :math:`C_s` the summed counts of run s, and v its score. One :func:`resample` call scores all runs of both
        systems on the same resampled items (Koehn, 2004), so the test is about these trained models on other items.
        """
        return cls._of(first, second, lambda number, runs, samples: np.full((samples, runs), 1 / runs))

    @classmethod
    def of_items_and_seeds(cls, first: Resampled, second: Resampled, *, seed: int = 1) -> "Comparison":
        """Like :meth:`of_items`, but resample each system's runs too, to generalise to other items and other seeds.

        The two systems' runs are drawn independently; if equal seeds make runs similar, the interval is wider than
        necessary. Of S runs S - 1 are drawn, which gives the mean of S runs its unbiased variance (Rao and Wu, 1988).
        Test sets with the same number of runs share their draws. With few runs, p is too low: if only seeds differ,
        p < 0.05 occurs in 10 % of comparisons of 5 with 5 runs, in 13 % of 3 with 3 and in 30 % of 2 with 2; if each
        run errs on different items, in less than 1 %.

        Raises:
            XalignError: a system has only one run.
        """
        runs = min(len(scores) for scores in (*first.scores, *second.scores))
        if runs < 2:
            raise XalignError("a test over seeds needs at least 2 runs", found=runs)

        def drawn_runs(number: int, runs: int, samples: int) -> np.ndarray:
            rng = np.random.default_rng([seed, number, runs])
            return rng.multinomial(runs - 1, np.full(runs, 1 / runs), size=samples) / (runs - 1)

        return cls._of(first, second, drawn_runs)

    @classmethod
    def _of(cls, first: Resampled, second: Resampled, weights: Callable[[int, int, int], np.ndarray]) -> "Comparison":
        """Compare means, with each run's share in them from ``weights(system, runs, samples)``, (samples, runs)."""
        observed, drawn = [], []
        for number, system in enumerate((first, second)):
            observed.append(np.array([scores.mean() for scores in system.scores]))
            shares = {scores.shape[1]: weights(number, scores.shape[1], len(scores)) for scores in system.drawn}
            means = [(scores * shares[scores.shape[1]]).sum(1) for scores in system.drawn]
            drawn.append(np.stack(means, axis=1))
        return cls(observed[1] - observed[0], drawn[1] - drawn[0], first.items)

    def test(self, sets: Sequence[int] | None = None) -> PairedTest:
        """Test the mean difference over the chosen test sets (default: all)."""
        chosen = list(range(len(self.differences)) if sets is None else sets)
        items = max(self.items[each] for each in chosen)  # the sets may be translations of each other
        return paired_test(float(self.differences[chosen].mean()), self.drawn[:, chosen].mean(1), items)


def resample(
    systems: Sequence[Sequence[np.ndarray]], value: Value, *, samples: int = 1000, seed: int = 1
) -> list[Resampled]:
    """Score the runs of several systems, (S, N, K) for each test set, on the same resamples of items.

    This is done once for all systems, because drawing is the most expensive part. Test sets of equal size share their
    draws: this is needed if they are translations of each other, and harmless otherwise.

    Raises:
        XalignError: no test set or item, or different items between systems.
    """
    check_options(samples, seed=seed)
    _check(systems)
    every = [[np.asarray(counts, dtype=np.float64) for counts in system] for system in systems]
    scores = [[value(counts.sum(1)) for counts in system] for system in every]
    drawn = [[np.empty((samples, len(counts))) for counts in system] for system in every]
    # (N, S * K), a factor of the product: all runs of an item
    tables = [[np.moveaxis(counts, 1, 0).reshape(counts.shape[1], -1) for counts in system] for system in every]
    sizes = [len(table) for table in tables[0]]
    for items in set(sizes):
        sets = [number for number, size in enumerate(sizes) if size == items]
        begin = 0
        for block in resampling_weights(items, samples, (seed, items)):
            weights, end = block.astype(np.float64), begin + len(block)
            for system, into in zip(tables, drawn, strict=True):
                for number in sets:
                    totals = weights @ system[number]
                    into[number][begin:end] = value(totals.reshape(len(block), into[number].shape[1], -1))
            begin = end
    return [Resampled(*each, sizes) for each in zip(scores, drawn, strict=True)]


def holm(p_values: Sequence[float]) -> list[float]:
    r"""Adjusted p-values :math:`\max_{j \leq k} \min(1, (m - j + 1) p_{(j)})`, in the order given (Holm, 1979)."""
    if outside := [p for p in p_values if not 0 <= p <= 1]:
        raise XalignError("a p-value is not from 0 to 1", found=outside[0])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


@dataclass(frozen=True)
class Correlation:
    """Spearman's rank correlation, its two-tailed p-value, its interval, and the number of points."""

    rho: float
    p: float
    low: float
    high: float
    n: int


def spearman(x: Sequence[float], y: Sequence[float], *, samples: int = 1000, seed: int = 1) -> Correlation:
    r"""Pearson's correlation of ranks; equal values share their mean rank (Spearman, 1904).

    p is the two-sided probability that independent points correlate at least as strongly. For up to :data:`EXACT_UP_TO`
    points it is exact, the share of such permutations of ``y``. For more points it is the p-value of

    .. math:: t = \rho \sqrt{(n - 2) / (1 - \rho^2)}

    by Student's t with n - 2 degrees of freedom. The interval is the percentile bootstrap's over resampled points;
    resamples with a single value on a side are skipped (if none remain, the interval is nan).

    Raises:
        XalignError: fewer than 3 points, different numbers of ``x`` and ``y``, non-finite numbers, a side with a single
            value, or no SciPy.
    """
    check_options(samples, seed)
    sides = [np.asarray(side, dtype=np.float64) for side in (x, y)]
    if len(x) != len(y) or len(x) < 3 or not all(np.isfinite(side).all() and np.ptp(side) > 0 for side in sides):
        expected = "equally many on both sides, at least 3, finite, not all equal"
        raise XalignError("there is no rank correlation of these points", expected=expected)
    try:
        from scipy import stats
    except ImportError:
        raise XalignError("rank correlation needs SciPy", remedy="pip install scipy") from None
    points = np.stack(sides)
    ranks = stats.rankdata(points, axis=1)
    found = stats.pearsonr(*ranks)
    p = _permutation_p(stats, *ranks) if len(x) <= EXACT_UP_TO else found.pvalue
    draws = np.random.default_rng(seed).integers(len(x), size=(samples, len(x)))
    resampled = points[:, draws[(np.ptp(points[:, draws], axis=2) > 0).all(0)]]
    drawn = stats.pearsonr(*stats.rankdata(resampled, axis=2), axis=1).statistic if resampled.size else [math.nan]
    return Correlation(float(found.statistic), float(p), *percentile_interval(drawn), len(x))


def _permutation_p(stats: Any, x: np.ndarray, y: np.ndarray) -> float:
    """The share of the permutations of ``y`` that correlate at least as strongly with ``x``, in either direction."""
    x, y = x - x.mean(), y - y.mean()
    found = stats.permutation_test(
        (y,),
        lambda each, axis: np.abs(each @ x),
        permutation_type="pairings",
        alternative="greater",
        n_resamples=math.inf,
        vectorized=True,
    )
    return found.pvalue


def _check(systems: Sequence[Sequence[np.ndarray]]) -> None:
    shapes = [[np.shape(counts) for counts in system] for system in systems]
    first = [shape[1:] for shape in shapes[0]]
    for each in shapes:
        if not each or [shape[1:] for shape in each] != first or any(len(shape) != 3 or 0 in shape for shape in each):
            problem = "the systems' counts (runs, items, counts) differ in items or counts, or are empty"
            raise XalignError(problem, found=f"shapes {shapes[0]} and {each}")
