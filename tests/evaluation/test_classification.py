"""Accuracy of classification: a hand-worked case."""

from xalign_fairseq.evaluation.classification import ACCURACY


def test_three_of_four():
    golds, predictions = ["neutral", "entailment", "0", "1"], ["neutral", "contradiction", "0", "1"]
    counts = ACCURACY.counts(golds, predictions, "de")
    assert counts.tolist() == [[1, 1], [0, 1], [1, 1], [1, 1]]
    assert ACCURACY.score(counts) == 0.75
