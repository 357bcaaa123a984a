import numpy as np
import pytest

from xalign_fairseq.aligner.statistical.choice import Calibration, fit_calibration, log_odds
from xalign_fairseq.core.errors import XalignError


@pytest.mark.parametrize("truth", [Calibration(1.0, 0.0), Calibration(0.5, 1.0), Calibration(2.0, -1.0)])
def test_calibration_recovers_the_true_scaling(truth):
    rng = np.random.default_rng(1)
    scores = rng.uniform(0.02, 0.98, 50_000)
    hits = rng.uniform(size=len(scores)) < truth.probability(scores)
    found = fit_calibration(scores, hits)
    assert found.slope == pytest.approx(truth.slope, abs=0.05)
    assert found.shift == pytest.approx(truth.shift, abs=0.05)


def test_a_probability_has_its_score():
    calibration = Calibration(1.7, 0.4)
    assert calibration.probability(np.array(calibration.score(0.9))) == pytest.approx(0.9)
    assert Calibration(1.0, 0.0).probability(np.array([0.3]))[0] == pytest.approx(0.3)
    assert np.isfinite(log_odds(np.array([0.0, 1.0]))).all()


def test_separable_data_stay_finite():
    found = fit_calibration(np.array([0.1, 0.2, 0.8, 0.9]), np.array([0, 0, 1, 1]))
    assert np.isfinite(found).all()
    assert found.slope > 1


def test_nothing_to_learn_from():
    with pytest.raises(XalignError, match=r"(?s)0 gold ones among 2.*use more gold links"):
        fit_calibration(np.array([0.1, 0.2]), np.array([0, 0]))
