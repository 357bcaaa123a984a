import pytest
from support import grammar

from xalign_fairseq.languages.sample import english

EXPECTED = {
    "front door": "The teacher does not lock the front door .",
    "found key": "I know that Anna has found the old key .",
    "river bank": "A boat stayed on the bank .",
    "red apple": "Did the doctor lose the red apple ?",
    "no lemon": "The cook did not buy a lemon .",
    "three women": "In 1995 three women will read this book .",
    "she went": "She went to Paris because Peter switched on our lamp .",
    "but": "We wait for my friends , but they do not sleep .",
}


@pytest.mark.parametrize("name", EXPECTED)
def test_sentence(name):
    assert grammar.text(english.say(grammar.SENTENCES[name])) == EXPECTED[name]


def test_a_becomes_an_before_a_vowel():
    doctor = grammar.noun("doctor", "indefinite", adjective="old/-")
    assert grammar.text(english.say(grammar.sentence(grammar.clause(doctor, "sleep")))).startswith("An old")
