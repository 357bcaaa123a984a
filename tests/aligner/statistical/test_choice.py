"""Threshold and calibration from gold links."""

import numpy as np
import pytest

from xalign_fairseq.aligner.statistical.choice import (
    CANDIDATE,
    Calibration,
    calibration_error,
    candidates,
    choose,
    fit_calibration,
    log_odds,
)
from xalign_fairseq.core.errors import XalignError
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


def test_growing_is_chosen_if_it_lowers_aer():
    # A wrong link of two linked words scores higher than a correct link of two free words.
    scores = [np.array([[0.9, 0.4], [0.1, 0.8]]), np.array([[0.7, 0.1, 0.1], [0.1, 0.1, 0.1], [0.1, 0.1, 0.3]])]
    golds = [Gold(frozenset({(0, 0), (1, 1)}), frozenset()), Gold(frozenset({(0, 0), (2, 2)}), frozenset())]
    choice, report = choose(scores, golds)
    assert (choice.threshold, choice.growth) == (0.45, 0.3)
    assert report.aer == 0


@pytest.mark.parametrize("truth", [Calibration(1.0, 0.0), Calibration(0.5, 1.0), Calibration(2.0, -1.0)])
def test_calibration_recovers_the_true_scaling(truth):
    rng = np.random.default_rng(1)
    scores = rng.uniform(0.02, 0.98, 50_000)
    hits = rng.uniform(size=len(scores)) < truth.probability(scores)
    found = fit_calibration(scores, hits)
    assert found.slope == pytest.approx(truth.slope, abs=0.05)
    assert found.shift == pytest.approx(truth.shift, abs=0.05)
    assert calibration_error(found.probability(scores), hits) < 0.01


def test_a_probability_has_its_score():
    calibration = Calibration(1.7, 0.4)
    assert calibration.probability(np.array(calibration.score(0.9))) == pytest.approx(0.9)
    assert Calibration(1.0, 0.0).probability(np.array([0.3]))[0] == pytest.approx(0.3)
    assert np.isfinite(log_odds(np.array([0.0, 1.0]))).all()


def test_calibration_error_by_hand():
    # Two bins: 0.25 x 2 with one hit in two, 0.95 x 2 with both; gaps |0.5 - 1| and |1.9 - 2| of four links.
    assert calibration_error(np.array([0.25, 0.25, 0.95, 0.95]), np.array([1, 0, 1, 1])) == pytest.approx(0.15)
    assert calibration_error(np.array([1.0]), np.array([1])) == 0


def test_separable_data_stay_finite():
    found = fit_calibration(np.array([0.1, 0.2, 0.8, 0.9]), np.array([0, 0, 1, 1]))
    assert np.isfinite(found).all()
    assert found.slope > 1


def test_nothing_to_learn_from():
    with pytest.raises(XalignError, match=r"(?s)0 gold ones among 2.*what was learned is kept"):
        fit_calibration(np.array([0.1, 0.2]), np.array([0, 0]))
