"""Units of words."""

from collections import Counter

import pytest

from xalign_fairseq.aligner.statistical.units import Pieces, cut_all, make_units
from xalign_fairseq.core.errors import XalignError

TEXT = Counter(["low", "lower", "lowest", "new", "newer", "newest", "Low"] * 20)


def test_units_of_tokens_by_word():
    cut = cut_all(make_units("word", {}), ["Well,", "he'll", "go", ""])
    assert cut == [["well", ","], ["he'", "ll"], ["go"], []]
    assert cut_all(make_units("prefix3", {}), ["Houses,"]) == [["hou", ","]]


@pytest.mark.parametrize("name", ["pieces20", "unigram20"])
def test_pieces_are_learned_in_lower_case_and_make_up_the_token(name):
    units = make_units(name, TEXT)
    assert isinstance(units, Pieces)
    [cut, other] = cut_all(units, ["Lowest", "new"])
    assert "".join(cut + other).replace("▁", "") == "lowestnew"
    assert "est" in "".join(cut)
    assert cut_all(make_units(name, {}, units.model), ["Lowest"]) == [cut]


@pytest.mark.parametrize("name", ["pieces20", "unigram20"])
def test_the_same_text_gives_the_same_pieces(name):
    assert make_units(name, TEXT).model == make_units(name, TEXT).model


def test_merges_and_unigrams_are_two_models():
    assert make_units("pieces20", TEXT).model != make_units("unigram20", TEXT).model


@pytest.mark.parametrize("name", ["words", "prefix", "prefix0", "pieces", "unigram0", "4"])
def test_no_such_units(name):
    with pytest.raises(XalignError, match="no such units"):
        make_units(name, {})
