import hashlib
import random

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.languages.derivation import DeriveOptions, Inversion, derive
from xalign_fairseq.languages.sentence import Sentence

TEXT = (("text", "t", "t.en"),)
TWO = (("ner", "t", "a.tsv"), ("nli", "t", "b.tsv"))


def options(steps=("inversion",), inputs=TEXT, **others):
    return DeriveOptions("out", steps, inputs, **others)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"steps": ("script", "inversion"), "spm": "m", "overlap": 20, "inversion_marks": ("!",)},
        {"steps": ("syntax",), "towards": ("fr.conllu",), "lang": "fr"},
        {"inputs": (*TEXT, ("conllu", "t", "a.conllu"), ("nli", "t", "b.tsv"))},  # suffixes differ
    ],
)
def test_options_that_fit(given):
    options(**given).check()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"steps": ()}, "steps are unknown or repeated"),
        ({"steps": ("inverse",)}, r"found: inverse\n  expected: some of script,inversion,syntax"),
        ({"steps": ("script",)}, r"lacks its file\n  where: steps, spm"),
        ({"spm": "m"}, r"is not requested\n  where: steps, spm"),
        ({"steps": ("syntax",)}, r"lacks its file\n  where: steps, towards"),
        ({"overlap": 5}, "where: steps, overlap"),
        ({"seed": -1}, r"a seed is negative\n  where: seed\n  found: -1"),
        ({"lang": "x-y"}, "'x-y'"),
        ({"source_lang": "xx"}, "both languages have the same code"),
        ({"inputs": ()}, "nothing to derive from"),
        ({"inputs": TEXT * 2}, r"must differ and have no slash\n  found: t"),
        ({"inputs": TWO}, "must differ and have no slash"),  # both would be t.xx.tsv
        ({"inputs": (("text", "../t", "t.en"),)}, "must differ and have no slash"),
    ],
)
def test_options_that_do_not(given, message):
    with pytest.raises(XalignError, match=message):
        options(**given).check()


@pytest.fixture
def text(tmp_path):
    (tmp_path / "t.en").write_text("he sings . now\n\n")
    return tmp_path / "t.en"


def run(text, out, **others):
    return derive(DeriveOptions(str(out), ("inversion",), (("text", "t", str(text)),), **others))


def test_steps_follow_each_other_and_marks_are_options(text, tmp_path):
    run(text, tmp_path / "a")
    run(text, tmp_path / "b", inversion_marks=("now",))
    assert (tmp_path / "a/t.en-xx.xx").read_text() == "sings he . now\n\n"
    assert (tmp_path / "b/t.en-xx.xx").read_text() == ". sings he now\n\n"
    (tmp_path / "t.tsv").write_text("he sings . now\ter singt\n")  # a column of a table is a text
    made = run(f"{tmp_path / 't.tsv'}#1", tmp_path / "c")
    sha256 = hashlib.sha256((tmp_path / "t.tsv").read_bytes()).hexdigest()
    assert made["sha256"] == {f"{tmp_path / 't.tsv'}#1": sha256}
    assert (tmp_path / "c/t.en-xx.en").read_text() == "he sings . now\n"


def test_missing_files_and_an_existing_folder(text, tmp_path):
    with pytest.raises(XalignError, match=r"where: gone.en\n  next: check the files"):
        run("gone.en", tmp_path / "out")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine").touch()
    with pytest.raises(XalignError, match="already exists"):
        run(text, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "t.en"]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine"]


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
