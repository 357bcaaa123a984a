"""Threshold and calibration from gold links."""

import numpy as np
import pytest

from xalign_fairseq.links.pharaoh import Gold
from xalign_fairseq.statistical.choice import CANDIDATE, candidates, choose, links_above

SCORES = [np.array([[0.9, 0.3], [0.02, 0.6]]), None, np.array([[0.28, 0.1]])]
GOLDS = [
    Gold(frozenset({(0, 0), (1, 1)}), frozenset({(0, 1)})),
    Gold(frozenset(), frozenset()),
    Gold(frozenset({(0, 1)}), frozenset()),
]


def test_links_at_and_above_a_score():
    assert links_above(SCORES[0], 0.3) == {(0, 0): 0.9, (0, 1): 0.3, (1, 1): 0.6}
    assert links_above(None, 0.3) == {}


def test_candidates_are_possible_links_and_others():
    values, hits = candidates(SCORES, GOLDS)
    assert values.tolist() == [0.9, 0.3, 0.6, 0.28, 0.1]
    assert hits.tolist() == [True, True, True, False, True]
    assert CANDIDATE > 0.02


def test_the_threshold_of_the_lowest_aer():
    choice, report = choose(SCORES, GOLDS)
    # At 0.3 three links, all possible, two of them among the three sure ones; above it the possible one is lost.
    assert choice.threshold == 0.3
    assert report.aer == pytest.approx(1 - (2 + 3) / (3 + 3))
    assert 0 <= report.error_after <= 1
