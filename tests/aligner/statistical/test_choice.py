"""Threshold and calibration from gold links."""

import numpy as np
import pytest

from xalign_fairseq.aligner.statistical.choice import CANDIDATE, candidates, choose
from xalign_fairseq.links.pharaoh import Gold

SCORES = [np.array([[0.9, 0.3], [0.02, 0.6]]), None, np.array([[0.28, 0.1]])]
GOLDS = [
    Gold(frozenset({(0, 0), (1, 1)}), frozenset({(0, 1)})),
    Gold(frozenset(), frozenset()),
    Gold(frozenset({(0, 1)}), frozenset()),
]


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
