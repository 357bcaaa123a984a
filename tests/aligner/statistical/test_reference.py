import numpy as np
import pytest
from support.units import drawn, tables_of, words_as_units

from xalign_fairseq.aligner.statistical import reference
from xalign_fairseq.aligner.statistical.reference import batches, both_directions, seen_pairs
from xalign_fairseq.aligner.statistical.sentences import cut_words, number_words, unit_text
from xalign_fairseq.aligner.statistical.tables import word_factors

SRC = [["a", "b", "c"], ["a"], [], ["b", "c"], ["c", "a", "b", "a"]]
TGT = [["x", "y"], ["x", "y", "z"], ["x"], ["z"], ["y", "z"]]
TEXT, _, CELLS = words_as_units(SRC, TGT)
WORDS = np.array([len(each) for each in TGT])


def by_line(tables, factors=None):
    """Posteriors of each line in both directions."""
    found = {}
    for batch in batches(tables, TEXT, factors):
        forward, backward = both_directions(tables, batch)
        for row, line in enumerate(batch.lines):
            n, m = len(SRC[line]), len(TGT[line])
            found[line] = forward.partner[:m, row, :n], backward.partner[:n, row, :m]
            assert forward.partner[:m, row, n:].sum() == 0
            np.testing.assert_allclose((forward.partner.sum(-1) + forward.alone)[:m, row], 1, rtol=1e-5)
    return found


def guide(line):
    return None if line == 1 else np.random.default_rng(line).random((len(SRC[line]), len(TGT[line])))


@pytest.mark.parametrize("factors", [None, word_factors(guide, CELLS, WORDS)])
def test_batching_changes_nothing(monkeypatch, factors):
    tables = drawn(tables_of(SRC, TGT), 1, jumps=True)
    whole = by_line(tables, factors)
    for cells in (1, 12):
        monkeypatch.setattr(reference, "CELLS", cells)
        found = by_line(tables, factors)
        assert sorted(found) == [0, 1, 3, 4]  # one side of the third is empty
        for line, both in whole.items():
            for one, other in zip(both, found[line], strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-7)


def test_all_pairs_that_occur_in_a_pair_of_sentences(monkeypatch):
    expected = [0, 3, 6, 9], [0, 1, 2] * 3
    for most in (1, 1 << 24):
        monkeypatch.setattr(reference, "SEEN_AT_ONCE", most)
        assert tuple(each.tolist() for each in seen_pairs(TEXT, (3, 3))) == expected
    fits = np.array([False, False, False, True, False])
    assert [each.tolist() for each in seen_pairs(TEXT._replace(fits=fits), (3, 3))] == [[0, 0, 1, 2], [2, 2]]


def test_posteriors_of_units_become_scores_of_words_by_hand(monkeypatch):
    """Source a-b (units a, -, b) and c, target x: p(c | x) = 1/4, p(a, -, b | x) = 1/8, 1/8, 1/2."""
    words = number_words([(["a-b", "c"], ["x"])])
    text = unit_text(cut_words(words[0], [[0, 1, 2], [3]]), cut_words(words[1], [[0]]))
    to_src = np.array([[[1 / 8, 1 / 8, 1 / 2, 1 / 4]]])  # (M, B, N)
    to_tgt = np.array([0.0, 0.3, 0.9, 0.5])[:, None, None]  # (N, B, M)
    found = (reference.Posteriors(to_src, to_src), reference.Posteriors(to_tgt, to_tgt))
    monkeypatch.setattr(reference, "both_directions", lambda *_: found)
    scores = np.zeros(2, np.float32)
    reference.add_scores(tables_of([["a"]], [["x"]]), text, np.array([0, 2]), scores, 0.5)
    np.testing.assert_allclose(2 * scores, [(3 / 4 + 0.4) / 2, (1 / 4 + 0.5) / 2], rtol=1e-6)
