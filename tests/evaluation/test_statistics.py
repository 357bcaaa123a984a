import itertools
import math
import sys

import numpy as np
import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.metric import f1, ratio
from xalign_fairseq.evaluation.statistics import (
    Comparison,
    Summary,
    bootstrap_interval,
    holm,
    resample,
    spearman,
    summarise,
)
from xalign_fairseq.links import bootstrap


def counts(rng, runs, items, quality=0.7, spread=0.0):
    """Counts (runs, items, 2) of runs whose accuracies vary by ``spread``."""
    quality = quality + spread * rng.standard_normal((runs, 1))
    return np.stack([rng.random((runs, items)) < quality, np.ones((runs, items))], axis=-1).astype(np.float64)


def paired_items(first, second, value, **options):
    return Comparison.of_items(*resample([first, second], value, **options))


def paired_items_and_seeds(first, second, value, *, seed=1, **options):
    return Comparison.of_items_and_seeds(*resample([first, second], value, seed=seed, **options), seed=seed)


def test_mean_and_sample_deviation():
    # The deviations from 0.5 are 0.1, 0 and 0.1: the root of 0.02 / 2.
    found = summarise([0.4, 0.5, 0.6])
    assert (found.mean, found.deviation, found.runs) == (pytest.approx(0.5), pytest.approx(0.1), 3)
    assert summarise([0.4]) == Summary(0.4, None, 1)
    with pytest.raises(XalignError, match="no score"):
        summarise([])


def test_an_interval_is_that_of_the_binomial():
    # 60 of 100: a standard error of sqrt(.6 * .4 / 100) = .049; 1.96 of them to either side
    items = np.stack([np.arange(100) < 60, np.ones(100)], axis=-1).astype(float)
    low, high = bootstrap_interval(items, ratio, samples=4000)
    assert (low, high) == (pytest.approx(0.504, abs=0.015), pytest.approx(0.696, abs=0.015))
    assert bootstrap_interval(items, ratio, seed=2) == bootstrap_interval(items, ratio, seed=2)
    with pytest.raises(XalignError, match="no item"):
        bootstrap_interval(np.empty((0, 2)), ratio)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9, 0.02]) == pytest.approx([1.0, 1.0, 0.06])
    # The second may not be below the first: 4 * 0.01, then max(0.04, 3 * 0.012), and so on.
    assert holm([0.02, 0.012, 0.01, 0.02]) == pytest.approx([0.04, 0.04, 0.04, 0.04])
    assert holm([]) == []
    with pytest.raises(XalignError, match=r"not from 0 to 1"):
        holm([0.01, math.nan, 0.04])


def test_the_difference_is_one_of_means_over_runs_and_sets():
    rng = np.random.default_rng(0)
    first = [counts(rng, 2, 30, 0.5), counts(rng, 3, 20, 0.6)]
    second = [counts(rng, 4, 30, 0.7), counts(rng, 2, 20, 0.8)]
    found = paired_items(first, second, ratio, samples=50)
    expected = [b[..., 0].mean() - a[..., 0].mean() for a, b in zip(first, second, strict=True)]
    assert found.differences == pytest.approx(np.array(expected))
    assert found.drawn.shape == (50, 2)
    assert found.test().difference == pytest.approx(np.mean(expected))
    assert found.test([1]).difference == pytest.approx(expected[1])


def exact_moments(first, second, value, runs):
    """Mean and variance over all resamples of items and, if ``runs``, of one of each system's two runs."""
    items = first.shape[1]
    drawn = []
    for chosen in itertools.product(range(items), repeat=items):
        a, b = (value(system[:, chosen].sum(1)) for system in (first, second))
        pairs = itertools.product(b, a) if runs else [(b.mean(), a.mean())]
        drawn += [x - y for x, y in pairs]
    return np.mean(drawn), np.var(drawn)


@pytest.mark.parametrize("runs", [False, True])
def test_the_moments_of_all_resamples(runs):
    # Items vary more than runs do: hits, predicted and gold of two runs on four items.
    first = np.array([[[0, 9, 9], [8, 9, 8], [1, 2, 1], [4, 4, 9]], [[0, 8, 9], [7, 8, 8], [0, 2, 1], [5, 6, 9]]])
    second = np.array([[[7, 9, 9], [8, 8, 8], [0, 1, 1], [1, 6, 9]], [[9, 9, 9], [6, 7, 8], [1, 1, 1], [2, 5, 9]]])
    drawn = (paired_items_and_seeds if runs else paired_items)([first], [second], f1, samples=20_000).drawn[:, 0]
    mean, variance = exact_moments(first, second, f1, runs)
    assert drawn.mean() == pytest.approx(mean, abs=4 * np.sqrt(variance / 20_000))
    assert drawn.var() == pytest.approx(variance, rel=0.05)


def test_resampled_seeds_have_the_variance_of_the_mean():
    # All items are equal, so the spread comes from seeds: the variance of a mean of n is s^2 / n, without bias.
    scores = np.array([0.1, 0.4, 0.6, 0.7])
    system = np.stack([scores, np.ones(4)], axis=-1)[:, None].repeat(3, axis=1)
    drawn = paired_items_and_seeds([system], [system], ratio, samples=20_000).drawn
    assert drawn.var() == pytest.approx(2 * scores.var(ddof=1) / 4, rel=0.05)
    assert paired_items([system], [system], ratio, samples=10).drawn == pytest.approx(np.zeros((10, 1)))


def test_sets_of_equal_size_share_their_items_and_runs():
    # Translated test sets: an error in one language is an error in the other, so the mean is as uncertain as one score.
    rng = np.random.default_rng(1)
    a, b = counts(rng, 3, 60), counts(rng, 3, 60)
    for compare in (paired_items, paired_items_and_seeds):
        alone, twice = compare([a], [b], ratio), compare([a, a], [b, b], ratio)
        assert twice.test() == alone.test() == twice.test([1])
    other = counts(rng, 3, 61), counts(rng, 3, 61)
    assert abs(np.corrcoef(paired_items([a, other[0]], [b, other[1]], ratio).drawn.T)[0, 1]) < 0.1


def test_the_seed_decides_and_blocks_do_not(monkeypatch):
    rng = np.random.default_rng(0)
    a, b = [counts(rng, 3, 50), counts(rng, 3, 20)], [counts(rng, 3, 50), counts(rng, 3, 20)]
    for compare in (paired_items, paired_items_and_seeds):
        found = compare(a, b, ratio, samples=101, seed=7).drawn
        assert (compare(a, b, ratio, samples=101, seed=8).drawn != found).any()
        with monkeypatch.context() as patch:
            patch.setattr(bootstrap, "BLOCK", 120)
            assert (compare(a, b, ratio, samples=101, seed=7).drawn == found).all()
    system = np.stack([np.array([0.1, 0.4, 0.6, 0.7]), np.ones(4)], axis=-1)[:, None]  # one item: the seed draws runs
    one, two = (paired_items_and_seeds([system], [system], ratio, samples=50, seed=seed).drawn for seed in (1, 2))
    assert (one != two).any()


def test_systems_resampled_together_compare_as_two_by_themselves():
    rng = np.random.default_rng(3)
    systems = [[counts(rng, runs, 40), counts(rng, runs, 30)] for runs in (2, 3, 4)]
    one, _, other = resample(systems, ratio, samples=50, seed=7)
    for several, alone in (
        (Comparison.of_items(one, other), paired_items),
        (Comparison.of_items_and_seeds(one, other, seed=7), paired_items_and_seeds),
    ):
        found = alone(systems[0], systems[2], ratio, samples=50, seed=7)
        assert (several.drawn == found.drawn).all() and (several.differences == found.differences).all()
    chosen = [each[[1, 3]] for each in systems[2]]
    part = Comparison.of_items_and_seeds(one, other.runs([1, 3]), seed=7)
    assert (part.drawn == paired_items_and_seeds(systems[0], chosen, ratio, samples=50, seed=7).drawn).all()


@pytest.mark.parametrize("test", [paired_items, paired_items_and_seeds])
def test_one_item_is_not_evidence(test):
    wrong, right = (np.array([[[number, 1.0]]] * 3) for number in (0.0, 1.0))
    assert test([wrong], [right], ratio).test().p_value == 1


def test_one_lucky_seed_is_not_evidence():
    # Every item shows that the second system is better, but only because of one of its seeds.
    first = np.stack([np.full((3, 200), 0.5), np.ones((3, 200))], axis=-1)
    second = first.copy()
    second[0, :, 0] = 0.8
    assert paired_items([first], [second], ratio).test().p_value < 0.01
    assert paired_items_and_seeds([first], [second], ratio).test().p_value > 0.1


def test_p_values_are_uniform_without_a_difference():
    rng = np.random.default_rng(5)
    values = []
    for _ in range(300):
        systems = [[counts(rng, 2, 60), counts(rng, 2, 40), counts(rng, 2, 40)] for _ in range(2)]
        values.append(paired_items(*systems, ratio, samples=99).test().p_value)
    assert 0.02 <= np.mean(np.array(values) <= 0.05) <= 0.10
    assert np.quantile(values, [0.25, 0.5, 0.75]) == pytest.approx([0.25, 0.5, 0.75], abs=0.08)


def test_bad_input():
    a = counts(np.random.default_rng(0), 2, 5)
    for first, second in ([], []), ([a], []), ([a], [a[:, :4]]), ([a[0]], [a[0]]), ([a[:, :0]], [a[:, :0]]):
        with pytest.raises(XalignError, match="systems' counts"):
            paired_items(first, second, ratio)
    with pytest.raises(XalignError, match="at least 2 runs"):
        paired_items_and_seeds([a], [a[:1]], ratio)
    with pytest.raises(XalignError, match="samples 0"):
        paired_items([a], [a], ratio, samples=0)


def pearson_by_loops(x, y):
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    product = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return product / math.sqrt(sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y))


@pytest.mark.parametrize("seed", range(6))
def test_p_of_few_points_is_that_of_all_permutations(seed):
    rng = np.random.default_rng(seed)
    n = 4 + seed % 4
    x, y = rng.integers(0, n, size=(2, n)).tolist()
    found = spearman(x, y)
    ranks = [[1 + sum(b < a for b in side) + (sum(b == a for b in side) - 1) / 2 for a in side] for side in (x, y)]
    rho = pearson_by_loops(*ranks)
    every = [pearson_by_loops(ranks[0], order) for order in itertools.permutations(ranks[1])]
    assert found.rho == pytest.approx(rho)
    assert found.p == pytest.approx(np.mean([abs(each) >= abs(rho) - 1e-9 for each in every]))


@pytest.mark.parametrize("n", [9, 10, 36, 101])
def test_rank_correlation_of_many_points_is_scipy_s(n):
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(n)
    for noise in (0.5, 2.0, 20.0):
        x = rng.integers(0, n // 2, size=n).astype(float)  # with ties
        y = np.round(-x + noise * rng.standard_normal(n))
        found, expected = spearman(x, y, samples=10), stats.spearmanr(x, y)
        assert found.rho == pytest.approx(expected.statistic)
        assert found.p == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-14)


def test_the_interval_covers_the_correlation():
    # For a bivariate normal distribution with Pearson's r, Spearman's is 6 / pi asin(r / 2).
    rng = np.random.default_rng(1)
    r = 0.6
    covered = []
    for seed in range(60):
        x = rng.standard_normal(60)
        found = spearman(x, r * x + math.sqrt(1 - r * r) * rng.standard_normal(60), samples=100, seed=seed)
        covered.append(found.low <= 6 / math.pi * math.asin(r / 2) <= found.high)
    assert 0.85 <= np.mean(covered) <= 1


@pytest.mark.parametrize(
    ("x", "y"),
    [([1, 2], [1, 2]), ([1, 2, 3], [1, 2]), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [4, 4, 4]), ([], []),
     ([1, 2, math.nan], [1, 2, 3]), ([1, 2, 3], [1, math.inf, 3])],
)  # fmt: skip
def test_points_without_a_rank_correlation(x, y, monkeypatch):
    with pytest.raises(XalignError, match="no rank correlation"):
        spearman(x, y)
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(XalignError, match=r"(?s)needs SciPy.*pip install scipy"):
        spearman([1, 2, 3], [1, 3, 2])
