"""Sentences worked by hand: words and word order in English, and its inflection against grammar books."""

import pytest
from support import grammar

from xalign_fairseq.languages.sample import english
from xalign_fairseq.languages.sample.english import English

CASES = [
    (grammar.front_door, "The teacher does not lock the front door ."),
    (grammar.found_key, "I know that Anna has found the old key ."),
    (grammar.river_bank, "There is a boat on the bank of the Seine ."),
    (grammar.red_apple, "Did the doctor give the red apple to Maria ?"),
    (grammar.reading_woman, "The woman who reads the book wakes him up ."),
    (grammar.bigger_house, "In 1995 Peter 's house was bigger than our car ."),
    (grammar.rain, "If it rains , nobody will tidy up three rooms ."),
    (grammar.no_lemon, "The cook did not buy a lemon ."),
    (grammar.why, "Why does the teacher read this book ?"),
    (grammar.two_books, "Every teacher is reading two books ."),
    (grammar.pronouns, "She has read them ."),
    (grammar.wish, "We do not want to read my book ."),
    (grammar.many_books, "They will read many books ."),
    (grammar.but, "I was reading a book , but he never reads 30 books ."),
    (grammar.two_teachers, "Two teachers must read old books ."),
]


@pytest.mark.parametrize(("build", "expected"), CASES, ids=[build.__name__ for build, _ in CASES])
def test_sentence(build, expected):
    assert grammar.text(English().say(build())) == expected


@pytest.mark.parametrize(
    ("cell", "third", "past", "ing"),
    [
        ("copy", "copies", "copied", "copying"),
        ("stay", "stays", "stayed", "staying"),
        ("watch", "watches", "watched", "watching"),
        ("close", "closes", "closed", "closing"),
        ("go went gone", "goes", "went", "going"),
        ("agree", "agrees", "agreed", "agreeing"),
        ("see saw seen seeing", "sees", "saw", "seeing"),
    ],
)
def test_english_verbs(cell, third, past, ing):
    forms = english.verb_forms(cell)
    assert (forms["third"], forms["past"], forms["ing"]) == (third, past, ing)
    assert (forms["particle"], forms["preposition"]) == ("", "")


@pytest.mark.parametrize(
    ("cell", "singular", "plural"),
    [
        ("city", ["city"], ["cities"]),
        ("key", ["key"], ["keys"]),
        ("box", ["box"], ["boxes"]),
        ("woman women", ["woman"], ["women"]),
        ("front_door", ["front", "door"], ["front", "doors"]),
    ],
)
def test_nouns(cell, singular, plural):
    assert english.noun_forms(cell) == (singular, plural)


def test_a_becomes_an_before_a_vowel_and_verbs_have_particles_and_prepositions():
    doctor = grammar.noun("doctor", "indefinite", adjective="old/-")
    said = English().say(grammar.sentence(grammar.clause(doctor, "sleep slept slept")))
    assert grammar.text(said).startswith("An old")
    assert english.verb_forms("wake woke woken +up")["particle"] == "up"
    assert english.verb_forms("look ~for")["preposition"] == "for"
