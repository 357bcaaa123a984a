import sys

import pytest

from tests.examples.recipes import load
from xalign_fairseq.aligner.gold_sets import find_sets
from xalign_fairseq.core.errors import XalignError

[laying_out] = load("xlm_align", "lay_out")
# Sentences 26 and 29 of a larger set; the last link is beyond the sentence; 1 2 is both sure and possible.
LINKS = "26 1 1 S\n26 1 2 P\n26 1 2 S\n\n26 2 1 P\n29 1 1\n29 3 1 S\n"


@pytest.fixture
def released(tmp_path):
    for pair in laying_out.PAIRS:
        folder = tmp_path / "test sets" / pair
        folder.mkdir(parents=True)
        for side in pair.split("-"):
            (folder / f"test.{side}").write_text("a  b\nc d\n")
        (folder / "alignv2.txt").write_text(LINKS)
    return tmp_path / "test sets"


def lay_out(monkeypatch, released):
    gold = released.parent / "gold"
    monkeypatch.setattr(sys, "argv", ["lay_out.py", str(released), str(gold)])
    laying_out.main()
    return gold


def test_sentences_are_numbered_by_lines_and_words_from_zero(released, monkeypatch, capsys):
    gold = lay_out(monkeypatch, released)
    assert (gold / "en-hi.gold").read_text() == "0-0 0-1 1p0\n0-0\n"
    assert (gold / "en-hi.hi").read_text() == "a b\nc d\n"
    assert "en-hi: 2 sentences, dropped beyond them: 1 link" in capsys.readouterr().err
    assert [each.name for each in find_sets(str(gold))] == list(laying_out.PAIRS)
    (gold / "en-hi.gold").write_text("mine")
    assert (lay_out(monkeypatch, released) / "en-hi.gold").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("test.de", "a\n", "differ in length"),
        ("alignv2.txt", "26 1 1 S\n29 1-1 S\n", "line 2"),
        ("alignv2.txt", None, "lacks a file"),
    ],
)
def test_invalid_test_sets_are_refused(released, monkeypatch, name, text, told):
    path = released / "de-en" / name
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(XalignError, match=told):
        lay_out(monkeypatch, released)
    assert not (released.parent / "gold/de-en.gold").exists()
