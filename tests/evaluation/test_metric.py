import numpy as np
import pytest

from xalign_fairseq.evaluation import parsing, qa, retrieval, tagging
from xalign_fairseq.evaluation.metric import Metric, f1, ratio

LENGTHS = Metric("share", ("equal", "items"), lambda gold, mine, language: (gold == mine, 1), ratio, "hand-made")


@pytest.mark.parametrize(
    ("totals", "value"), [([1, 2, 3], 0.4), ([0, 0, 0], 0.0), ([0, 4, 0], 0.0), ([0, 0, 4], 0.0), ([5, 5, 5], 1.0)]
)
def test_f1_is_the_harmonic_mean(totals, value):
    hits, predicted, gold = totals
    assert f1(np.array(totals)) == value
    if hits:
        precision, recall = hits / predicted, hits / gold
        assert value == pytest.approx(2 * precision * recall / (precision + recall))


@pytest.mark.parametrize("function", [ratio, f1])
def test_many_sums_at_once_are_as_one_by_one(function):
    totals = np.random.default_rng(1).integers(0, 5, (4, 6, 3 if function is f1 else 2))
    found = function(totals)
    assert found.shape == (4, 6) and found.dtype == np.float64
    for place in np.ndindex(4, 6):
        assert found[place] == function(totals[place])


def test_counts_are_of_items_and_the_score_is_of_their_sum():
    counts = LENGTHS.counts("abca", "abdd", "en")
    assert counts.dtype == np.float64 and counts.tolist() == [[1, 1], [1, 1], [0, 1], [0, 1]]
    assert LENGTHS.score(counts) == 0.5
    assert LENGTHS.score(counts[[0, 0, 2]]) == pytest.approx(2 / 3)  # any resample
    nothing = LENGTHS.counts([], [], "en")
    assert nothing.shape == (0, 2) and LENGTHS.score(nothing) == 0
    with pytest.raises(ValueError, match="zip"):
        LENGTHS.counts("ab", "a", "en")


def test_metrics_of_one_name_have_variants_of_their_own():
    metrics = [tagging.ENTITY_F1, tagging.XTREME_POS_F1, parsing.LAS, parsing.UAS, parsing.LAS_ALL, parsing.UAS_ALL]
    metrics += [qa.SQUAD_EM, qa.SQUAD_F1, qa.MLQA_EM, qa.MLQA_F1, *retrieval.RETRIEVAL_METRICS]
    names = ["f1", "f1", "las", "uas", "conll-las", "conll-uas", "em", "f1", "em", "f1"]
    assert [metric.name for metric in metrics[:10]] == names
    assert len({(metric.name, metric.variant) for metric in metrics}) == len(metrics)
