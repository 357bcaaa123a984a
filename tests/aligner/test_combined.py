"""Scores of an encoder and of statistics together: hand-worked pairs, what is too long, and order."""

import numpy as np
import pytest

from xalign_fairseq.aligner import combined
from xalign_fairseq.aligner.alignment import Alignment
from xalign_fairseq.aligner.combined import CombinedAligner
from xalign_fairseq.errors import XalignError
from xalign_fairseq.statistical.choice import USUAL
from xalign_fairseq.statistical.folder import TrainedModels


class Encoder:
    """Gives each pair the scores that are listed, whatever its words."""

    def __init__(self, scores, too_long=False):
        self.scores, self.too_long = scores, too_long

    def stream(self, pairs, progress=None):
        for src, tgt in pairs:
            found = {} if self.too_long else {link: s for link, s in self.scores.items() if link[0] < len(src)}
            yield Alignment(src, tgt, found, too_long=self.too_long)
            if progress:
                progress(1)


class Model:
    """A statistical model of the same scores for each pair; of none that is longer than ``most``."""

    name = "fixed"

    def __init__(self, scores, most=9):
        self.scores, self.most = np.array(scores, np.float32), most

    def word_scores(self, pairs):
        for line, (src, tgt) in enumerate(pairs):
            if 0 < len(src) <= self.most:
                yield line, self.scores[: len(src), : len(tgt)]


def aligner(scores, statistics, too_long=False, most=9, **options):
    return CombinedAligner(Encoder(scores, too_long), TrainedModels([Model(statistics, most)], USUAL), **options)


PAIR = (["a", "b"], ["A", "B"])


def test_the_mean_of_both_by_hand():
    # 0.6 * 0.9 + 0.4 * 0.5 = 0.74; (1, 1): 0.6 * 0.3 + 0.4 * 0.9 = 0.54; (1, 0): 0.4 * 0.4 = 0.16, not grown at 0.18
    both = aligner({(0, 0): 0.9, (0, 1): 0.1, (1, 1): 0.3}, [[0.5, 0.0], [0.4, 0.9]])
    [found] = both.align([PAIR])
    assert found.links == pytest.approx({(0, 0): 0.74, (1, 1): 0.54})
    assert (found.src, found.tgt, found.too_long) == (*PAIR, False)


def test_what_neither_would_link_alone_and_what_grows():
    # (0, 0): 0.6 * 0.49 + 0.4 * 0.49 = 0.49; (1, 1): 0.6 * 0.3 + 0.4 * 0.1 = 0.22 grows from it
    scores, statistics = {(0, 0): 0.49, (1, 1): 0.3}, [[0.49, 0.0], [0.0, 0.1]]
    assert aligner(scores, statistics).align([PAIR])[0].links == pytest.approx({(0, 0): 0.49, (1, 1): 0.22})
    assert aligner(scores, statistics, growth=1.0).align([PAIR])[0].links == pytest.approx({(0, 0): 0.49})
    assert aligner(scores, statistics, threshold=0.5, growth=1.0).align([PAIR])[0].links == {}


def test_too_long_for_the_statistics_and_for_the_encoder():
    scores = {(0, 0): 0.29}  # 0.6 of it is below 0.45 * 0.4
    [found] = aligner(scores, [[0.0, 0.0], [0.0, 0.0]], most=1).align([PAIR])
    assert found.links == pytest.approx(scores)
    assert aligner(scores, [[0.0, 0.0], [0.0, 0.0]]).align([PAIR])[0].links == {}
    [lost] = aligner(scores, [[1.0, 0.0], [0.0, 1.0]], too_long=True).align([PAIR])
    assert lost.links == {}
    assert lost.too_long


def test_order_empty_sides_and_progress_over_several_chunks(monkeypatch):
    monkeypatch.setattr(combined, "AT_ONCE", 2)
    both = aligner({(0, 0): 1.0, (1, 1): 1.0}, [[1.0, 0.0], [0.0, 1.0]])
    pairs = [PAIR, (["a"], ["A", "B"]), ([], ["A"]), PAIR, (["b"], ["B"])]
    told = []
    found = list(both.stream(pairs, told.append))
    assert [(each.src, each.tgt) for each in found] == pairs
    assert [set(each.links) for each in found] == [{(0, 0), (1, 1)}, {(0, 0)}, set(), {(0, 0), (1, 1)}, {(0, 0)}]
    assert sum(told) == 5


@pytest.mark.parametrize("option", ["threshold", "growth"])
@pytest.mark.parametrize("value", [0, 1.01])
def test_options_that_are_no_shares(option, value):
    with pytest.raises(XalignError, match=option):
        aligner({}, [[0.0]], **{option: value})
