"""Accuracy of classification: a hand-worked case, an empty set, lists of unequal length."""

import pytest

from xalign_fairseq.evaluation.classification import ACCURACY


def test_three_of_four():
    golds, predictions = ["neutral", "entailment", "0", "1"], ["neutral", "contradiction", "0", "1"]
    counts = ACCURACY.counts(golds, predictions, "de")
    assert counts.tolist() == [[1, 1], [0, 1], [1, 1], [1, 1]]
    assert ACCURACY.score(counts) == 0.75


def test_no_item_scores_0():
    counts = ACCURACY.counts([], [], "de")
    assert counts.shape == (0, 2) and ACCURACY.score(counts) == 0


def test_every_item_has_a_prediction():
    with pytest.raises(ValueError):
        ACCURACY.counts(["0", "1"], ["0"], "de")
