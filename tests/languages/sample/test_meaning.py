"""What follows from the parts of a meaning: its person, whether it is a pronoun, and its entry in the lexicon."""

import pytest
from support import grammar

from xalign_fairseq.languages.sample.english import English
from xalign_fairseq.languages.sample.french import French
from xalign_fairseq.languages.sample.german import German
from xalign_fairseq.languages.sample.lexicon import Entry
from xalign_fairseq.languages.sample.meaning import (
    PRONOUNS,
    Adverbial,
    Clause,
    Phrase,
    finish,
    fixed_phrase,
    gold_links,
    time_phrase,
)
from xalign_fairseq.languages.sample.russian import Russian


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


LANGUAGES = {"de": German(), "fr": French(), "ru": Russian()}


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ([1, 2], [3], [(0, 0), (1, 0)]),
        ([3], [2, 1], [(0, 0), (0, 1)]),
        ([0, 4, 1], [1, 0, 2], [(2, 0)]),
        ([], [1], []),
        ([1 << 80], [1 << 80 | 1], [(0, 0)]),
    ],
)
def test_tokens_with_a_concept_in_common_are_linked(src, tgt, expected):
    assert gold_links([("x", keys) for keys in src], [("y", keys) for keys in tgt]) == expected


def test_fixed_phrase_reads_concepts_from_letters():
    assert fixed_phrase("in/a der Nacht/bc", 4) == [("in", 4), ("der", 0), ("Nacht", 24)]


def test_the_blanks_of_a_time_are_filled_in():
    entry = Entry({"en": "in/a YEAR/b", "de": "im Jahr/a YEAR/b", "fr": "depuis/a NUMBER/b ans/c", "ru": "вчера/a"})

    def clause(key):
        return Clause("verb", Phrase("it"), time=Adverbial(entry, key, 1995, 30))

    assert time_phrase(clause(2), "de") == [("im", 0), ("Jahr", 2), ("1995", 4)]
    assert time_phrase(clause(1), "fr") == [("depuis", 1), ("30", 2), ("ans", 4)]
    assert time_phrase(clause(1), "ru") == [("вчера", 1)]


def test_commas_in_a_row_are_one_and_none_stands_before_the_end():
    tokens = [("der", 1), (",", 2), (",", 4), ("weil", 0), (",", 8), (".", 16)]
    assert finish(tokens) == [("Der", 1), (",", 6), ("weil", 0), (".", 16)]


def test_a_question_word_is_no_partner_of_the_recipients_to():
    meaning = grammar.red_apple()
    meaning.first.question = "where"
    src = English().say(meaning)
    at = [word for word, _ in src].index("to")
    partners = {}
    for name, language in LANGUAGES.items():
        tgt = language.say(meaning)
        partners[name] = [tgt[j][0] for i, j in gold_links(src, tgt) if i == at]
    assert partners == {"de": [], "fr": ["à"], "ru": []}
