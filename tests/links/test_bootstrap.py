import random

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links import bootstrap
from xalign_fairseq.links.aer import AlignmentCounts
from xalign_fairseq.links.bootstrap import (
    bootstrap_intervals,
    mean_aer_interval,
    paired_bootstrap,
    paired_bootstrap_of_sets,
)


def corpus(seed, sentences=200, quality=0.8):
    rng = random.Random(seed)
    counts = []
    for _ in range(sentences):
        sure = rng.randint(3, 12)
        hits = sum(rng.random() < quality for _ in range(sure))
        counts.append(AlignmentCounts(hits, hits + 1, sure + 2, sure))
    return counts


def test_resampling_two_sentences_has_the_binomial_distribution(monkeypatch):
    # AER is 0, 1/2 or 1 with probabilities 1/4, 1/2, 1/4.
    counts = [AlignmentCounts(1, 1, 1, 1), AlignmentCounts(0, 0, 1, 1)]
    assert bootstrap_intervals(counts, samples=4000)["aer"] == (0.0, 1.0)
    monkeypatch.setattr(bootstrap, "LEVEL", 0.4)
    assert bootstrap_intervals(counts, samples=4000)["aer"] == (0.5, 0.5)


def test_intervals_agree_with_drawing_sentences_one_by_one():
    counts = corpus(1)
    low, high = bootstrap_intervals(counts, samples=2000)["aer"]
    rng = random.Random(0)
    drawn = sorted(sum(rng.choices(counts, k=len(counts)), AlignmentCounts()).aer for _ in range(2000))
    assert (low, high) == pytest.approx((drawn[50], drawn[1949]), abs=0.003)
    assert low < sum(counts, AlignmentCounts()).aer < high


def test_paired_test_finds_only_real_differences():
    worse, better, other = corpus(3, quality=0.7), corpus(4, quality=0.85), corpus(5, quality=0.7)
    clear = paired_bootstrap(worse, better, samples=999)
    totals = [sum(counts, AlignmentCounts()).aer for counts in (worse, better)]
    assert clear.difference == pytest.approx(totals[1] - totals[0]) and clear.difference < 0
    assert clear.p_value == pytest.approx(1 / 1000) and clear.low < clear.difference < clear.high < 0
    doubtful = paired_bootstrap(worse, other, samples=999)
    assert doubtful.p_value > 0.05 and doubtful.low < 0 < doubtful.high
    few = paired_bootstrap([AlignmentCounts(1, 1, 1, 1)] * 3, [AlignmentCounts(0, 0, 1, 1)] * 3)
    assert few.difference == 1 and few.p_value == 0.25  # the probability that three tosses of a coin agree
    same = paired_bootstrap(worse, worse, samples=99)
    assert same.difference == 0 and same.p_value == 1


def test_several_sets_count_the_same_and_are_resampled_by_themselves():
    large, small = corpus(1, 300), corpus(2, 40)
    better = [AlignmentCounts(c.hits_sure, c.hits_possible + 1, c.links, c.sure) for c in small]
    found = paired_bootstrap_of_sets([large, small], [large, better])
    alone = paired_bootstrap(small, better)
    assert found.difference == pytest.approx(alone.difference / 2)
    assert (found.low, found.high) == pytest.approx((alone.low / 2, alone.high / 2), abs=2e-3)
    assert found.p_value == pytest.approx(1 / 1001)
    assert paired_bootstrap_of_sets([small], [better]) == alone
    # One set is better and one is worse: the mean is not conclusive.
    doubtful = paired_bootstrap_of_sets([corpus(3, 60), corpus(4, 60)], [corpus(4, 60), corpus(3, 60)])
    assert doubtful.difference == pytest.approx(0) and doubtful.p_value > 0.5 and doubtful.low < 0 < doubtful.high


@pytest.mark.parametrize("sets", [([], []), ([corpus(0, 3)], []), ([corpus(0, 3)], [corpus(0, 2)]), ([[]], [[]])])
def test_sets_that_do_not_belong_together(sets):
    with pytest.raises(XalignError, match=r"numbers of lines|no sentence"):
        paired_bootstrap_of_sets(*sets)


def test_the_mean_over_sets_resamples_each_separately():
    # Compared with a system without spread, the difference has the spread of the mean.
    sets = [corpus(4, 60), corpus(5, 90, 0.5)]
    still = [[AlignmentCounts(1, 1, 1, 1)] * len(counts) for counts in sets]
    test = paired_bootstrap_of_sets(still, sets, samples=500, seed=3)
    assert mean_aer_interval(sets, samples=500, seed=3) == pytest.approx((test.low, test.high))
    with pytest.raises(XalignError, match="no test set"):
        mean_aer_interval([])
