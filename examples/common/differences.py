"""Differences between the runs of two settings, tested over test items and over seeds."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from scipy import stats

from xalign_fairseq.evaluation.statistics import Value, holm, paired_items, paired_items_and_seeds

SIGNIFICANT = 0.05
EQUAL = 1e-12  # fractions that differ by less are the same count


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The score of some runs minus that of others; fractions.

    Attributes:
        low, high: 95 % interval, of the bootstrap or, where there is none, of Student's t over seeds.
        p_bootstrap: over test items and seeds, or over items alone; None where seeds alone are tested.
        p_seeds: of the t-test over seeds; None where items alone are tested.
        p_holm: the larger of both, corrected over a family of tests.
    """

    difference: float
    low: float
    high: float
    p_bootstrap: float | None
    p_seeds: float | None
    p_holm: float = 1.0

    @property
    def p_value(self) -> float:
        """The larger p of the tests: all must find the difference."""
        return max(p for p in (self.p_bootstrap, self.p_seeds) if p is not None)

    @property
    def significant(self) -> bool:
        """Whether the corrected p is below 5 %."""
        return self.p_holm < SIGNIFICANT


Tested = TypeVar("Tested", bound=Difference)


def correct(family: Iterable[Tested]) -> list[Tested]:
    """The same differences with Holm's correction over all of them."""
    family = list(family)
    adjusted = holm([each.p_value for each in family])
    return [replace(each, p_holm=p) for each, p in zip(family, adjusted, strict=True)]


def compare(
    first: Sequence[np.ndarray], second: Sequence[np.ndarray], value: Value, seeded: tuple[bool, bool] = (True, True)
) -> Difference:
    """The second runs minus the first: a paired bootstrap and a t-test over seeds.

    Where nothing is known of seeds, since one side has a single one or neither has any, items alone are tested.
    """
    sides = [np.stack(first), np.stack(second)]
    known = any(seeded) and all(len(runs) > 1 for runs, of_seeds in zip(sides, seeded, strict=True) if of_seeds)
    if not known:
        tested, p_seeds = paired_items, None
    else:
        tested, p_seeds = paired_items_and_seeds, _p_of_seeds(sides, value, seeded)
        # Another run of what has no seed would give the same counts again: two copies are runs without a spread.
        sides = [runs if of_seeds else np.concatenate([runs] * 2) for runs, of_seeds in zip(sides, seeded, strict=True)]
    found = tested(sides[:1], sides[1:], value).test()
    return Difference(
        difference=found.difference, low=found.low, high=found.high, p_bootstrap=found.p_value, p_seeds=p_seeds
    )


def _p_of_seeds(sides: Sequence[np.ndarray], value: Value, seeded: tuple[bool, bool]) -> float:
    """p of Welch's t-test between the scores of two sides; of the one-sample t-test against one that has no seed."""
    scores = [value(runs.sum(1).astype(np.float64)) for runs in sides]
    fixed, varied = (
        [each for each, of_seeds in zip(scores, seeded, strict=True) if of_seeds is kind] for kind in (False, True)
    )
    if max(np.ptp(each) for each in varied) < EQUAL:  # no deviation to divide by
        return float(abs(scores[0][0] - scores[1][0]) < EQUAL)
    with warnings.catch_warnings():
        # One of two sides may have equal scores; Welch's test allows for that, though SciPy warns.
        warnings.simplefilter("ignore", RuntimeWarning)
        result = stats.ttest_1samp(varied[0], fixed[0][0]) if fixed else stats.ttest_ind(*varied, equal_var=False)
    return float(result.pvalue)
