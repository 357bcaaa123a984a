import numpy as np
import pytest

from xalign_fairseq.aligner.statistical import sentences
from xalign_fairseq.aligner.statistical.sentences import cell_starts, cut_words, number_words, unit_text


def test_words_are_numbered_by_first_occurrence():
    src, tgt = number_words([(["b", "a", "b"], ["x"]), ([], ["y", "x"])])
    assert src.different == ["b", "a"] and src.items.tolist() == [0, 1, 0] and src.starts.tolist() == [0, 3, 3]
    assert src.counts.tolist() == [2, 1] and tgt.lengths.tolist() == [1, 2]
    assert cell_starts((src, tgt)).tolist() == [0, 3, 3]


def test_units_and_their_words():
    """Words of two, no and one unit."""
    src, _ = number_words([(["a", "b", "c", "a"], []), ([], []), (["b"], []), (["c"], [])])
    units = cut_words(src, [[5, 6], [], [7]])
    assert units.ids.tolist() == [5, 6, 7, 5, 6, 7]
    assert units.owners.tolist() == [0, 0, 2, 3, 3, 0]
    assert units.starts.tolist() == [0, 5, 5, 5, 6]
    assert units.words.tolist() == [4, 0, 1, 1]


@pytest.mark.parametrize(("n", "m", "fits"), [(512, 512, True), (513, 512, False), (1, 4096, True), (1, 4097, False)])
def test_pairs_that_are_too_long_do_not_fit(n, m, fits):
    words = number_words([(["a"] * n, ["x"] * m), (["a"] * m, ["x"] * n), (["a"], ["x"]), (["a"], [])])
    text = unit_text(*(cut_words(side, [[0]]) for side in words))
    assert text.fits.tolist() == [fits, fits, True, False]
    assert sentences.MOST_CELLS == 512 * 512 and text.fits.dtype == np.bool_
