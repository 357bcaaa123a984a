"""The benchmark of probabilities: worked values of its measures, and calibration by the other sets."""

import numpy as np
import pytest


@pytest.fixture
def calibration(script):
    return script("benchmark_calibration")


def test_measures_of_a_few_links(calibration):
    found = calibration._measures(np.array([0.95, 0.95, 0.92, 0.15]), np.array([True, True, False, False]))
    # The bins from 0.9 and from 0.1: |2.82 - 2| and |0.15 - 0|, over four links.
    assert found["calibration_error"] == pytest.approx((0.82 + 0.15) / 4, abs=1e-4)
    assert found["right"] == pytest.approx(2 / 3, abs=1e-4) and found["found"] == 1.0
    assert calibration._measures(np.array([0.5]), np.array([True]))["right"] is None


def test_sets_that_are_alike_calibrate_each_other(calibration):
    random = np.random.default_rng(1)
    sets = {}
    for name in "abc":
        truth = random.uniform(0.05, 0.99, 4000)
        odds = truth / (1 - truth) / 50
        sets[name] = (odds / (1 + odds), random.uniform(size=4000) < truth)
    result = calibration._measured(sets)
    for each in result["sets"].values():
        assert each["as_it_is"]["calibration_error"] > 0.3
        assert each["calibrated"]["calibration_error"] < 0.1 and each["calibrated"]["right"] > 0.8
    [row] = calibration._rows({"transport": result})
    assert row[:2] == ["`transport`", "3"] and float(row[5]) < 0.1
    one = calibration._measured({"a": sets["a"]})
    assert "calibrated" not in one["sets"]["a"] and calibration._rows({"transport": one})[0][5] == "–"
