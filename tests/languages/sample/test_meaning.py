"""What follows from the parts of a meaning: its person, whether it is a pronoun, and its entry in the lexicon."""

import pytest

from xalign_fairseq.languages.sample.lexicon import Entry
from xalign_fairseq.languages.sample.meaning import PRONOUNS, Clause, Phrase


@pytest.mark.parametrize(
    ("kind", "plural", "person"),
    [
        ("I", False, "1s"),
        ("we", False, "1p"),
        ("he", False, "3s"),
        ("she", False, "3s"),
        ("they", False, "3p"),
        ("nobody", False, "3s"),
        ("it", False, "3s"),
        ("name", False, "3s"),
        ("noun", False, "3s"),
        ("noun", True, "3p"),
    ],
)
def test_persons(kind, plural, person):
    assert Phrase(kind, plural=plural).person == person
    assert Phrase(kind).is_pronoun is (kind in PRONOUNS) is (kind in {"I", "we", "he", "she", "they"})


def test_entries_are_those_of_nouns_and_verbs():
    entry = Entry({"en": "dog"})
    assert Phrase("noun", entry).noun is entry
    assert Clause("verb", Phrase("I"), entry).action is entry
    with pytest.raises(AssertionError):
        _ = Phrase("I").noun
    with pytest.raises(AssertionError):
        _ = Clause("copula", Phrase("it")).action
