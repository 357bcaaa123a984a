"""Sentences worked by hand: words, word order and links in German."""

import pytest
from support import grammar

from xalign_fairseq.languages.sample import german
from xalign_fairseq.languages.sample.german import German

CASES = [
    (grammar.front_door, "Der Lehrer schließt die Haustür nicht ab .", "0-0 1-1 3-5 4-2 4-6 5-3 6-4 7-4 8-7"),
    (
        grammar.found_key,
        "Ich weiß , dass Anna den alten Schlüssel gefunden hat .",
        "0-0 1-1 2-3 3-4 4-9 5-8 6-5 7-6 8-7 9-10",
    ),
    (grammar.river_bank, "Es gibt ein Boot am Ufer der Seine .", "0-0 1-1 2-2 3-3 4-4 5-4 6-5 8-6 9-7 10-8"),
    (grammar.red_apple, "Gab der Arzt Maria den roten Apfel ?", "1-1 2-2 3-0 4-4 5-5 6-6 8-3 9-7"),
    (
        grammar.reading_woman,
        "Die Frau , die das Buch liest , weckt ihn auf .",
        "0-0 1-1 2-3 3-6 4-4 5-5 6-8 7-9 8-10 9-11",
    ),
    (
        grammar.bigger_house,
        "Im Jahr 1995 war Peters Haus größer als unser Auto .",
        "0-0 1-2 2-4 3-4 4-5 5-3 6-6 7-7 8-8 9-9 10-10",
    ),
    (
        grammar.rain,
        "Wenn es regnet , wird niemand drei Zimmer aufräumen .",
        "0-0 1-1 2-2 3-3 4-5 5-4 6-8 7-8 8-6 9-7 10-9",
    ),
    (grammar.no_lemon, "Der Koch kaufte keine Zitrone .", "0-0 1-1 3-3 4-2 5-3 6-4 7-5"),
    # determiners, numbers and verbs
    (grammar.why, "Warum liest der Lehrer dieses Buch ?", "not given"),
    (grammar.two_books, "Jeder Lehrer liest zwei Bücher .", "not given"),
    (grammar.pronouns, "Sie hat sie gelesen .", "not given"),
    (grammar.wish, "Wir wollen mein Buch nicht lesen .", "not given"),
    (grammar.many_books, "Sie werden viele Bücher lesen .", "not given"),
    (grammar.but, "Ich las ein Buch , aber er liest nie 30 Bücher .", "not given"),
    (grammar.two_teachers, "Zwei Lehrer müssen alte Bücher lesen .", "not given"),
]


@pytest.mark.parametrize(("build", "expected", "links"), CASES, ids=[build.__name__ for build, *_ in CASES])
def test_sentence_and_links(build, expected, links):
    said, linked = grammar.say(build, German)
    assert said == expected
    assert links in (linked, "not given")


def test_adjectives_follow_the_article():
    ending = german.adjective_ending
    assert [ending(case, "m", "weak") for case in german.DEFINITE] == ["e", "en", "en", "en"]
    assert [ending(case, "m", "mixed") for case in german.DEFINITE] == ["er", "en", "en", "en"]
    assert [ending(case, "n", "strong") for case in german.DEFINITE] == ["es", "es", "em", "en"]
    assert [ending("acc", gender, "mixed") for gender in "fnp"] == ["e", "es", "en"]
    assert [german.determiner_ending(case, "m") for case in german.DEFINITE] == ["er", "en", "em", "es"]
    assert [german.indefinite_ending(case, "n") for case in german.DEFINITE] == ["", "", "em", "es"]
