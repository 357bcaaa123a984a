"""Learning of both directions from what both say."""

import pytest
import torch

from xalign_fairseq.errors import XalignError
from xalign_fairseq.statistical.batches import batches
from xalign_fairseq.statistical.learning import PASSES, learn, one_pass
from xalign_fairseq.statistical.tables import FIRST, FLOOR, first_tables

SRC = [["das", "haus"], ["das", "buch"], ["ein", "buch"]]
TGT = [["the", "house"], ["the", "book"], ["a", "book"]]


def probability(tables, src, tgt, direction=0):
    row = tables.rows(tables.ids([src], 0)[None], tables.ids([tgt], 1)[None])
    return float(tables.pairs[row, direction])


def test_one_pass_by_hand():
    """One pair of sentences, a b and x: with q = 1 - NO_PARTNER, c(a, x) = c(b, x) = q/2 times q."""
    tables = first_tables([["a", "b"]], [["x"]])
    learned = one_pass(tables, list(batches(tables, [["a", "b"]], [["x"]])))
    assert torch.allclose(learned.pairs[FIRST:], torch.tensor([[1.0, 0.5], [1.0, 0.5]]))
    assert abs(float(learned.null[0][0]) - 1) < 1e-6  # x is the only target unit
    assert learned.null[0][1:].tolist() == torch.tensor([FLOOR, 1.0]).tolist()
    assert learned.jumps == (None, None)


def test_the_translations_of_a_small_text_are_found():
    told = []
    tables = learn(SRC * 5, TGT * 5, lambda done, of: told.append((done, of)))
    for src, tgt in [("haus", "house"), ("das", "the"), ("buch", "book"), ("ein", "a")]:
        assert probability(tables, src, tgt) > 0.9
        assert probability(tables, src, tgt, 1) > 0.9
    assert probability(tables, "das", "house") < 0.1
    assert told == [(number, sum(PASSES)) for number in range(1, sum(PASSES) + 1)]


def test_jumps_learn_the_order_of_the_text():
    reverse = [sentence[::-1] for sentence in TGT]
    forward, backward = (learn(SRC * 5, tgt * 5).jumps[0] for tgt in (TGT, reverse))
    ahead, behind = len(forward) // 2 + 1, len(forward) // 2 - 1
    assert forward[ahead] > forward[behind]
    assert backward[behind] > forward[behind]


def test_probabilities_of_a_unit_sum_to_one():
    tables = one_pass(first_tables(SRC, TGT), list(batches(first_tables(SRC, TGT), SRC, TGT)))
    for src in ("das", "haus", "buch", "ein"):
        assert abs(sum(probability(tables, src, tgt) for tgt in ("the", "house", "book", "a")) - 1) < 1e-4


def test_a_text_without_pairs():
    with pytest.raises(XalignError, match="no pair of sentences"):
        learn([[], ["a"]], [["x"], []])
