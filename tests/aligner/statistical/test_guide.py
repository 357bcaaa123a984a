"""Scores of words as factors."""

import numpy as np

from xalign_fairseq.aligner.statistical.guide import word_factors


def test_factors_of_words():
    scores = [np.array([[0.0, 1.0], [0.4, 0.0]]), None, np.zeros((0, 2))]
    factors = word_factors(scores.__getitem__, np.array([0, 4, 5, 5]), np.array([2, 1, 2]))
    # (0 + 0.1)^2, (1 + 0.1)^2 and (0.4 + 0.1)^2
    np.testing.assert_allclose(factors.of(0), [[0.01, 1.21], [0.25, 0.01]], rtol=1e-6)
    assert factors.of(1).tolist() == [[1.0]] and factors.of(2).shape == (0, 2)
    assert word_factors(None, np.array([0, 1]), np.array([1])) is None
