"""Scores of words as factors of their units."""

import numpy as np

from xalign_fairseq.aligner.statistical.guide import unit_factors


def test_factors_of_units_are_those_of_their_words():
    scores = [np.array([[0.0, 1.0], [0.4, 0.0]]), None]
    factors = unit_factors(scores.__getitem__, ([[0, 0, 1], [0]], [[1, 0], [0]]))
    # (1 + 0.1)^2, (0 + 0.1)^2 and (0.4 + 0.1)^2; the first word of the source has two units.
    np.testing.assert_allclose(factors(0), [[1.21, 0.01], [1.21, 0.01], [0.01, 0.25]])
    assert factors(1) is None
    assert unit_factors(None, ([[0]], [[0]])) is None


def test_a_side_without_units():
    factors = unit_factors(lambda _: np.zeros((0, 2)), ([[]], [[0, 1, 1]]))
    assert factors(0).shape == (0, 3)
