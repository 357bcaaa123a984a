"""Tests over items and seeds by hand; each run has 100 items, of which the first are right."""

import math

import numpy as np
import pytest

from tests.examples.recipes import load
from xalign_fairseq.evaluation.metric import ratio

[differences] = load("common", "differences")


def runs(*right):
    return [np.stack([np.arange(100) < each, np.ones(100)], axis=1) for each in right]


def test_both_tests_must_find_a_difference():
    """All seeds are better, which convinces the bootstrap, but they differ as much among themselves."""
    found = differences.compare(runs(30, 30, 30), runs(33, 40, 47), ratio)
    t = 10 / math.sqrt(49 / 3)  # Welch with one side that has no spread: two degrees of freedom
    assert found.difference == pytest.approx(0.1)
    assert found.p_seeds == pytest.approx(1 - t / math.sqrt(t**2 + 2))
    assert found.p_bootstrap < 0.05 < found.p_value == found.p_seeds


def test_two_sides_with_seeds_are_compared_by_welch():
    # means 32 and 46, variances 4 and 52: t = 14 / sqrt(56 / 3) with 2.31 degrees of freedom; of equal variances 4
    assert differences.compare(runs(30, 32, 34), runs(40, 44, 54), ratio).p_seeds == pytest.approx(0.068986, rel=1e-4)


def test_what_has_no_seed_is_one_sample():
    # t = (90 - 32) / sqrt(7 / 3); with two degrees of freedom p = 1 - t / sqrt(t^2 + 2)
    t = 58 / math.sqrt(7 / 3)
    expected = 1 - t / math.sqrt(t**2 + 2)
    found = differences.compare(runs(30, 31, 35), runs(90), ratio, (True, False))
    assert found.difference == pytest.approx(0.58) and found.p_seeds == pytest.approx(expected, rel=1e-3)
    other = differences.compare(runs(90), runs(30, 31, 35), ratio, (False, True))
    assert other.difference == pytest.approx(-0.58) and other.p_seeds == found.p_seeds


@pytest.mark.parametrize(
    ("first", "second", "seeded"),
    [
        (runs(30), runs(60, 61), (True, True)),  # one seed
        (runs(30), runs(60), (False, True)),
        (runs(30), runs(60), (False, False)),
    ],
)
def test_items_alone_are_tested_where_nothing_is_known_of_seeds(first, second, seeded):
    found = differences.compare(first, second, ratio, seeded)
    assert found.p_seeds is None and found.p_value == found.p_bootstrap < 0.05


@pytest.mark.parametrize(("right", "p"), [(30, 1.0), (31, 0.0)])
def test_seeds_without_spread_are_equal_or_not(right, p):
    assert differences.compare(runs(30, 30), runs(right, right), ratio).p_seeds == p


def test_holms_correction_is_over_the_larger_p_of_each():
    def difference(p_bootstrap, p_seeds):
        return differences.Difference(difference=1.0, low=0.5, high=1.5, p_bootstrap=p_bootstrap, p_seeds=p_seeds)

    family = [difference(0.04, None), difference(0.001, 0.02), difference(None, 0.01)]
    found = differences.correct(iter(family))
    assert [each.p_holm for each in found] == pytest.approx([0.04, 0.04, 0.03])
    assert [each.significant for each in found] == [True] * 3
    assert not differences.correct([difference(0.05, 0.01)])[0].significant
    assert differences.correct([]) == []
