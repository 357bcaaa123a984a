import pytest
from support import grammar

from xalign_fairseq.languages.sample import english, german

EXPECTED = {
    "front door": ("Der Lehrer schließt die Haustür nicht ab .", "0-0 1-1 3-5 4-2 4-6 5-3 6-4 7-4 8-7"),
    "found key": (
        "Ich weiß , dass Anna den alten Schlüssel gefunden hat .",
        "0-0 1-1 2-3 3-4 4-9 5-8 6-5 7-6 8-7 9-10",
    ),
    "river bank": ("Ein Boot blieb am Ufer .", "0-0 1-1 2-2 3-3 4-3 5-4 6-5"),
    "red apple": ("Verlor der Arzt den roten Apfel ?", "1-1 2-2 3-0 4-3 5-4 6-5 7-6"),
    "no lemon": ("Der Koch kaufte keine Zitrone .", "0-0 1-1 3-3 4-2 5-3 6-4 7-5"),
    "three women": ("Im Jahr 1995 werden drei Frauen dieses Buch lesen .", "0-0 1-2 2-4 3-5 4-3 5-8 6-6 7-7 8-9"),
    "she went": (
        "Sie ging nach Paris , weil Peter unsere Lampe einschaltete .",
        "0-0 1-1 2-2 3-3 4-5 5-6 6-9 7-9 8-7 9-8 10-10",
    ),
    "but": (
        "Wir warten auf meine Freunde , aber sie schlafen nicht .",
        "0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7 9-9 10-8 11-10",
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_sentence_and_links(name):
    message = grammar.SENTENCES[name]
    said = german.say(message)
    assert (grammar.text(said), grammar.links(english.say(message), said)) == EXPECTED[name]


@pytest.mark.parametrize(
    ("determiner", "plural", "expected"),
    [
        ("definite", False, "Der alte Arzt"),
        ("indefinite", False, "Ein alter Arzt"),
        ("my", True, "Meine alten Ärzte"),
        ("indefinite", True, "Alte Ärzte"),
        ("this", False, "Dieser alte Arzt"),
    ],
)
def test_adjective_endings_follow_the_determiner(determiner, plural, expected):
    doctor = grammar.noun("doctor", determiner, adjective="old/-", plural=plural)
    assert grammar.text(german.say(grammar.sentence(grammar.clause(doctor, "sleep")))).startswith(f"{expected} schl")


@pytest.mark.parametrize(("verb", "cells", "expected"), [
    ("help", {}, "Der Koch hilft einem Arzt ."),
    ("wait", {"en": "preposition=for"}, "Der Koch wartet auf einen Arzt ."),
])  # fmt: skip
def test_objects_have_the_case_of_their_verb(verb, cells, expected):
    made = grammar.clause(grammar.noun("cook"), verb, cells=cells, object=grammar.noun("doctor", "indefinite"))
    assert grammar.text(german.say(grammar.sentence(made))) == expected
