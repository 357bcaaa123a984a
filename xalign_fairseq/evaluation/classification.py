"""Accuracy of sentence and sentence-pair classification."""

from xalign_fairseq.evaluation.metric import Metric, ratio


def _count(gold: str, prediction: str, language: str) -> tuple[float, float]:
    return float(gold == prediction), 1.0


ACCURACY = Metric("accuracy", ("correct", "items"), _count, ratio, "share of items whose label is equal")
