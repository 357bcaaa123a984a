"""Learning of both directions from what both say."""

import numpy as np
import pytest
import torch

from xalign_fairseq.aligner.statistical.batches import batches
from xalign_fairseq.aligner.statistical.learning import PASSES, learn, one_pass
from xalign_fairseq.aligner.statistical.tables import FIRST, FLOOR, first_tables
from xalign_fairseq.core.errors import XalignError

SRC = [["das", "haus"], ["das", "buch"], ["ein", "buch"]]
TGT = [["the", "house"], ["the", "book"], ["a", "book"]]


def probability(tables, src, tgt, direction=0):
    row = tables.rows(tables.ids([src], 0)[None], tables.ids([tgt], 1)[None])
    return float(tables.pairs[row, direction])


def test_one_pass_by_hand():
    """Of a b | x and a | x.

    Posteriors of x's partner are 0.45 for a and b in the first, 0.9 for a in the second; those of a's and b's partner
    x are 0.9. So c(a, x) = 0.45 * 0.9 + 0.9 * 0.9 and c(b, x) = 0.45 * 0.9.
    """
    src, tgt = [["a", "b"], ["a"]], [["x"], ["x"]]
    learned = one_pass(first_tables(src, tgt), list(batches(first_tables(src, tgt), src, tgt)))
    torch.testing.assert_close(learned.pairs[FIRST:], torch.tensor([[1.0, 0.75], [1.0, 0.25]]))
    torch.testing.assert_close(learned.null[0], torch.tensor([1.0, FLOOR, 1.0]))
    torch.testing.assert_close(learned.null[1], torch.tensor([2 / 3, 1 / 3, FLOOR, 1.0]), atol=2e-3, rtol=0)
    assert learned.jumps == (None, None)


def test_a_pass_with_factors_by_hand():
    """As above, and in a b | x the factor of a is 1, that of b 1/2; a | x has none.

    Posteriors of x's partner are 0.45, 0.225 and 0.1 of 0.775 for a, b and none in the first; those of a's and b's
    partner x are 0.45 / 0.5 and 0.225 / 0.275.
    """
    src, tgt = [["a", "b"], ["a"]], [["x"], ["x"]]
    given = [np.array([[1.0], [0.5]]), None]
    learned = one_pass(first_tables(src, tgt), list(batches(first_tables(src, tgt), src, tgt, given.__getitem__)))
    a, b = 0.45 / 0.775 * 0.9 + 0.9 * 0.9, 0.225 / 0.775 * 0.225 / 0.275
    torch.testing.assert_close(learned.pairs[FIRST:], torch.tensor([[1.0, a / (a + b)], [1.0, b / (a + b)]]))


def test_factors_decide_what_the_text_leaves_open():
    """Two words that are always together, on both sides: nobody but the guide knows which is which."""
    src, tgt = [["a", "b"]] * 9, [["x", "y"]] * 9
    crossed = np.array([[0.01, 1.0], [1.0, 0.01]])
    # Only half of the lines, and some that do not fit before them, are guided.
    learned = learn([[], *src], [["x"], *tgt], factors=lambda line: crossed if line % 2 else None)
    assert probability(learned, "a", "y") > 0.9 > 0.1 > probability(learned, "a", "x")
    assert probability(learn(src, tgt), "a", "y") < 0.6


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
