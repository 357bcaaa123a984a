import numpy as np
import pytest
from support.units import tables_of, words_as_units

from xalign_fairseq.aligner.statistical import compiled, folder, reference
from xalign_fairseq.aligner.statistical.folder import PASSES, learn, maximised
from xalign_fairseq.aligner.statistical.tables import FIRST, FLOOR, word_factors
from xalign_fairseq.core.errors import XalignError

SRC = [["das", "haus"], ["das", "buch"], ["ein", "buch"]]
TGT = [["the", "house"], ["the", "book"], ["a", "book"]]


@pytest.fixture(autouse=True, params=[reference, compiled])
def _backends(monkeypatch, request):
    monkeypatch.setattr(folder, "backend", lambda: request.param)


def learned(src, tgt, progress=None, guide=None):
    text, units, cells = words_as_units(src, tgt)
    return learn(text, units, progress, word_factors(guide, cells, np.array([len(each) for each in tgt])))


def one_pass(src, tgt, guide=None):
    text, _, cells = words_as_units(src, tgt)
    factors = word_factors(guide, cells, np.array([len(each) for each in tgt]))
    return maximised(tables_of(src, tgt), folder.backend().expected_counts(tables_of(src, tgt), text, factors))


def probability(tables, src, tgt, direction=0):
    rows = np.nonzero(tables.keys == tables.src[src] * (len(tables.tgt) + 1) + tables.tgt[tgt])[0] + FIRST
    return float(tables.pairs[rows, direction].sum())  # 0 of a pair that is not kept


def test_one_pass_by_hand():
    """Of a b | x and a | x.

    Posteriors of x's partner are 0.45 for a and b in the first, 0.9 for a in the second; those of a's and b's partner
    x are 0.9. So c(a, x) = 0.45 * 0.9 + 0.9 * 0.9 and c(b, x) = 0.45 * 0.9.
    """
    learned = one_pass([["a", "b"], ["a"]], [["x"], ["x"]])
    np.testing.assert_allclose(learned.pairs[FIRST:], [[1.0, 0.75], [1.0, 0.25]], rtol=1e-6)
    np.testing.assert_allclose(learned.null[0], [1.0, FLOOR, 1.0])
    np.testing.assert_allclose(learned.null[1], [2 / 3, 1 / 3, FLOOR, 1.0], atol=2e-3)
    assert learned.jumps == (None, None)


def test_factors_decide_between_equally_likely_links():
    """Two words that always co-occur on both sides: only the guide can tell them apart."""
    src, tgt = [["a", "b"]] * 9, [["x", "y"]] * 9
    crossed = np.array([[0.0, 0.9], [0.9, 0.0]])
    # The guide covers only half of the lines, and some before them do not fit.
    guided = learned([[], *src], [["x"], *tgt], guide=lambda line: crossed if line % 2 else None)
    assert probability(guided, "a", "y") > 0.9 > 0.1 > probability(guided, "a", "x")
    assert probability(learned(src, tgt), "a", "y") < 0.6


def test_the_translations_of_a_small_text_are_found():
    told = []
    tables = learned(SRC * 5, TGT * 5, lambda done, of: told.append((done, of)))
    for src, tgt in [("haus", "house"), ("das", "the"), ("buch", "book"), ("ein", "a")]:
        assert probability(tables, src, tgt) > 0.9
        assert probability(tables, src, tgt, 1) > 0.9
    assert probability(tables, "das", "house") < 0.1
    assert told == [(number, sum(PASSES)) for number in range(1, sum(PASSES) + 1)]


def test_jumps_learn_the_order_of_the_text():
    reverse = [sentence[::-1] for sentence in TGT]
    forward, backward = (learned(SRC * 5, tgt * 5).jumps[0] for tgt in (TGT, reverse))
    ahead, behind = len(forward) // 2 + 1, len(forward) // 2 - 1
    assert forward[ahead] > forward[behind]
    assert backward[behind] > forward[behind]


def test_a_text_without_pairs():
    with pytest.raises(XalignError, match="no pair of sentences"):
        learned([[], ["a"]], [["x"], []])
