import random

from xalign_fairseq.languages.inversion import Inversion
from xalign_fairseq.languages.sentence import Sentence


def inverted(text, *marks):
    return " ".join(Inversion(marks or ["."])(Sentence.natural(text.split()), 0).forms)


def test_segments_by_hand():
    assert inverted("Welcome to ACL") == "ACL to Welcome"
    assert inverted("I am Sam . I am") == "Sam am I . am I"
    assert inverted("one two . three ! four .") == "two one . four ! three ."
    assert inverted("one two . three ! four .", ".", "!", "?") == "two one . three ! four ."
    assert inverted(". . a b") == ". . b a"
    assert inverted("a.") == "a."
    assert inverted("") == ""


def test_twice_is_the_identity_and_links_are_exact():
    chance = random.Random(5)
    for _ in range(50):
        words = chance.choices(["a", "b", "c", ".", "?"], k=chance.randint(0, 14))
        once = Inversion(".?")(Sentence.natural(words), 0)
        assert [words[i] for i in once.order] == list(once.forms)
        assert Inversion(".?")(once, 0) == Sentence.natural(words)


def test_marks_are_sought_in_the_natural_words():
    written = Sentence.natural(["a", "b", ".", "c"]).rewritten(["x", "y", "z", "."])
    assert Inversion()(written, 0).forms == ("y", "x", "z", ".")


def test_marks_are_counted():
    invert = Inversion()
    for text in ("a . b .", "c", "d ."):
        invert(Sentence.natural(text.split()), 0)
    assert invert.counts == {"sentence marks": 3}
