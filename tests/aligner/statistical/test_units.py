"""Units of words, and whose they are."""

import pytest

from xalign_fairseq.aligner.statistical.units import Cutter, Pieces, make_units
from xalign_fairseq.core.errors import XalignError

TEXT = [["low", "lower", "lowest"], ["new", "newer", "newest", "Low"]] * 20


def test_a_units_owner_is_the_users_word():
    assert Cutter(make_units("word", []))(["Well,", "he'll", "go"]) == (
        ["well", ",", "he'", "ll", "go"],
        [0, 0, 1, 1, 2],
    )
    assert Cutter(make_units("prefix3", []))(["Houses,"]) == (["hou", ","], [0, 0])


def test_no_more_than_some_words_are_remembered(monkeypatch):
    monkeypatch.setattr("xalign_fairseq.aligner.statistical.units.CACHED_WORDS", 10)
    cut = Cutter(make_units("prefix4", []))
    sentences = [[f"{letter}word{number}" for number in range(3)] for letter in "abcdefgh"]
    for words in sentences:
        assert cut(words) == Cutter(cut.units)(words)
    assert len(cut._known) <= 10 + 3


@pytest.mark.parametrize("name", ["pieces20", "unigram20"])
def test_pieces_are_learned_in_lower_case_and_make_up_the_token(name):
    units = make_units(name, TEXT)
    assert isinstance(units, Pieces)
    cut, owners = Cutter(units)(["Lowest", "new"])
    assert "".join(cut).replace("▁", "") == "lowestnew"
    assert "est" in "".join(cut)
    assert owners == sorted(owners)
    assert set(owners) == {0, 1}
    again = make_units(name, [], units.model)
    assert Cutter(again)(["Lowest"]) == Cutter(units)(["Lowest"])


@pytest.mark.parametrize("name", ["pieces20", "unigram20"])
def test_the_same_text_gives_the_same_pieces(name):
    assert make_units(name, TEXT).model == make_units(name, TEXT).model


def test_merges_and_unigrams_are_two_models():
    assert make_units("pieces20", TEXT).model != make_units("unigram20", TEXT).model


@pytest.mark.parametrize("name", ["words", "prefix", "prefix0", "pieces", "unigram0", "4"])
def test_no_such_units(name):
    with pytest.raises(XalignError, match="no such units"):
        make_units(name, [])
