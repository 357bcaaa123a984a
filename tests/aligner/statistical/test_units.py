from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.aligner.statistical.units import cut_all, make_units, tokens_of
from xalign_fairseq.core.errors import XalignError

TEXT = Counter(["low", "lower", "lowest", "new", "newer", "newest", "Low"] * 20)


def test_units_of_tokens_by_word():
    units = make_units("prefix4", {})
    assert cut_all(units, ["Houses,", "he'll", "go", ""]) == [["hous", ","], ["he'", "ll"], ["go"], []]


@pytest.mark.parametrize("name", ["pieces2000", "unigram2000"])
def test_pieces_are_lower_case_and_join_to_the_token(name):
    units = make_units(name, TEXT)
    [cut, other] = cut_all(units, ["Lowest", "new"])
    assert "".join(cut + other).replace("▁", "") == "lowestnew"
    assert "est" in "".join(cut)
    assert cut_all(make_units(name, {}, units.model), ["Lowest"]) == [cut]


@pytest.mark.parametrize(
    ("word", "tokens"),
    [
        ("Houses,", ("houses", ",")),
        ("L'homme", ("l'", "homme")),
        ("d’eau", ("d’", "eau")),
        ("'tis'", ("'", "tis", "'")),
        ("x-ray", ("x", "-", "ray")),
        ("...", (".", ".", ".")),
        ("1990s", ("1990s",)),
        ("हिन्दी", ("हिन्दी",)),  # vowel signs are marks, not letters
        ("日本語abc", ("日", "本", "語", "abc")),
        ("&apos;", ("&", "apos", ";")),
    ],
)
def test_words(word, tokens):
    assert tokens_of(word) == tokens


@given(st.text(st.characters(exclude_categories=["Z", "Cc"]), min_size=1))
def test_no_text_is_lost_and_no_token_is_empty(word):
    assert "".join(tokens_of(word)) == word.lower()
    assert all(tokens_of(word))


@pytest.mark.parametrize("name", ["words", "prefix3", "pieces30"])
def test_unknown_units(name):
    with pytest.raises(XalignError, match="unknown units"):
        make_units(name, {})


def test_a_text_that_sentencepiece_cannot_read():
    with pytest.raises(XalignError, match=r"no word pieces[\s\S]*both sides have words"):
        make_units("pieces2000", {"x" * 5000: 2})


def test_half_a_surrogate_pair_is_the_users_error():
    with pytest.raises(XalignError, match="not valid Unicode"):
        cut_all(make_units("pieces2000", TEXT), ["low", "a\ud800"])
