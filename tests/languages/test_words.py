"""Raw text as words and marks."""

import pytest

from xalign_fairseq.languages.words import words_and_marks


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("And he said, Mama, I'm home.", "And he said , Mama , I'm home ."),
        ('"Is it (really) 5%?"', '" Is it ( really ) 5 % ? "'),
        ("nine-two 3.5 don't U.S. $20,000", "nine-two 3.5 don't U.S . $ 20,000"),
        ("well... no!! -- ''x", "well ... no !! -- '' x"),
        ("\u00bfQu\u00e9?\u00a0S\u00ed.  ", "\u00bf Qu\u00e9 ? S\u00ed ."),
        ("वह है।", "वह है ।"),
        ("", ""),
    ],
)
def test_text_becomes_words(text, words):
    assert words_and_marks(text) == words.split()


@pytest.mark.parametrize("word", ["है", "e\u0301te\u0301", "x²"])
def test_vowel_signs_and_accents_are_no_marks(word):
    assert words_and_marks(word) == [word]


@pytest.mark.parametrize("text", ["a, b.", "(x) -- y!", "don't 3.5 U.S.", "¿Qué? Sí."])
def test_words_again_are_the_same_words(text):
    words = words_and_marks(text)
    assert words_and_marks(" ".join(words)) == words
    assert "".join(words) == "".join(text.split())
