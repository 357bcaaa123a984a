"""Threshold and calibration from gold links."""

import numpy as np
import pytest

from xalign_fairseq.links.pharaoh import Gold
from xalign_fairseq.statistical.choice import CANDIDATE, candidates, choose, grown_links, links_above

SCORES = [np.array([[0.9, 0.3], [0.02, 0.6]]), None, np.array([[0.28, 0.1]])]
GOLDS = [
    Gold(frozenset({(0, 0), (1, 1)}), frozenset({(0, 1)})),
    Gold(frozenset(), frozenset()),
    Gold(frozenset({(0, 1)}), frozenset()),
]


def test_links_at_and_above_a_score():
    assert links_above(SCORES[0], 0.3) == {(0, 0): 0.9, (0, 1): 0.3, (1, 1): 0.6}
    assert links_above(None, 0.3) == {}


def test_links_grow_to_neighbours_and_then_to_free_words():
    scores = np.array([
        [0.90, 0.10, 0.10, 0.10],
        [0.30, 0.34, 0.33, 0.10],
        [0.10, 0.32, 0.10, 0.10],
        [0.10, 0.10, 0.10, 0.24],
    ])  # fmt: skip
    assert grown_links(scores, 0.45, 0.45) == {(0, 0): 0.9}
    # (1, 1) neighbours (0, 0), then (1, 2) and (2, 1) neighbour it; (1, 0) has no free word left by then.
    grown = {(0, 0): 0.9, (1, 1): 0.34, (1, 2): 0.33, (2, 1): 0.32}
    assert grown_links(scores, 0.45, 0.25) == grown
    # Far from all links, but between two free words.
    apart = np.diag([0.9, 0.1, 0.3]) + np.array([[0, 0, 0.29], [0, 0, 0], [0.28, 0, 0]])
    assert grown_links(apart, 0.45, 0.25) == {(0, 0): 0.9, (2, 2): 0.3}
    assert list(grown_links(np.array([[0.3, 0.9]]), 0.45, 0.25)) == [(0, 0), (0, 1)]
    assert grown_links(None, 0.45, 0.25) == {}


def test_a_link_that_grows_in_a_later_sweep():
    # The better of the two neighbours the other alone, which comes behind it.
    scores = np.array([[0.9, 0.3, 0.4], [0, 0, 0]])
    assert grown_links(scores, 0.45, 0.25) == {(0, 0): 0.9, (0, 1): 0.3, (0, 2): 0.4}


def test_candidates_are_possible_links_and_others():
    values, hits = candidates(SCORES, GOLDS)
    assert values.tolist() == [0.9, 0.3, 0.6, 0.28, 0.1]
    assert hits.tolist() == [True, True, True, False, True]
    assert CANDIDATE > 0.02


def test_the_threshold_of_the_lowest_aer():
    choice, report = choose(SCORES, GOLDS)
    # At 0.3 three links, all possible, two of them among the three sure ones; above it the possible one is lost.
    assert (choice.threshold, choice.growth) == (0.3, 0.3)
    assert report.aer == pytest.approx(1 - (2 + 3) / (3 + 3))
    assert 0 <= report.error_after <= 1


def test_growth_where_aer_is_lower_by_it():
    # A wrong score of two linked words is higher than that of a right link of two free ones.
    scores = [np.array([[0.9, 0.4], [0.1, 0.8]]), np.array([[0.7, 0.1, 0.1], [0.1, 0.1, 0.1], [0.1, 0.1, 0.3]])]
    golds = [Gold(frozenset({(0, 0), (1, 1)}), frozenset()), Gold(frozenset({(0, 0), (2, 2)}), frozenset())]
    choice, report = choose(scores, golds)
    assert (choice.threshold, choice.growth) == (0.45, 0.3)
    assert report.aer == 0
