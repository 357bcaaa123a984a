"""The rule by which raw text is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.aligner.statistical.tokens import tokens_of


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
def test_nothing_is_lost_and_no_token_is_empty(word):
    assert "".join(tokens_of(word)) == word.lower()
    assert all(tokens_of(word))
