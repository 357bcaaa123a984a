"""Sentences worked by hand: words and word order in English."""

import pytest
from support import grammar

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


def test_a_becomes_an_before_a_vowel():
    doctor = grammar.noun("doctor", "indefinite", adjective="old/-")
    said = English().say(grammar.sentence(grammar.clause(doctor, "sleep")))
    assert grammar.text(said).startswith("An old")
