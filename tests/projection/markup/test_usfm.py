"""Verses, headings and their markup."""

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.projection.markup import usfm
from xalign_fairseq.projection.markup.usfm import read_usfm, texts

BOOK = r"""\id GEN A Bible
\h Genesis
\mt1 The Book
\c 1
\s1 The beginning
\p
\v 1 In the \add very\add* beginning\f + \fr 1:1 \ft Or: first \fv 2\fv*.\f* God made
\q1 heaven
\q2 and earth.
\p
\v 2-3 \wj He\wj* said \w light|lemma="x"\w*,
\s A heading within a verse
\p and it was so.
\tr \th1 Day \tc2 Light
"""


def parts(text):
    return list(texts(text.splitlines(), "file"))


def test_each_verse_and_heading_is_a_text_and_nothing_is_lost():
    found = parts(BOOK)
    assert "".join(text for _, text, _ in found) == BOOK
    assert [(read_usfm(text).text, line) for translated, text, line in found if translated] == [
        ("Genesis", 2),
        ("The Book", 3),
        ("The beginning", 5),
        ("In the very beginning God made heaven and earth.", 7),
        ("He said light,", 11),
        ("A heading within a verse", 12),
        ("and it was so.", 13),
        ("Day", 14),
        ("Light", 14),
    ]


def test_styles_notes_paragraphs_and_milestones():
    read = read_usfm('In \\qt-s |sid="1"\\*the \\add \\+nd very\\+nd*\\add*\\qt-e\\*\\f + \\ft x\\f* day\n\\q1 two')
    assert read.text == "In the very day two"
    quote, note, paragraph = read.marks
    assert (quote.opening, quote.closing, quote.children[0].children[0].tag) == (
        '\\qt-s |sid="1"\\*',
        "\\qt-e\\*",
        "\\+nd ",
    )
    assert (note.opening, note.kind) == ("\\f + \\ft x\\f*", "point")
    assert (paragraph.opening, paragraph.kind) == ("\n\\q1 ", "break")


def test_a_verse_has_a_limit(monkeypatch):
    monkeypatch.setattr(usfm, "MOST_CHARACTERS", 20)
    with pytest.raises(XalignError, match="too long"):
        parts("\\v 1 " + "a" * 30)
    assert parts("\\rem " + "a" * 30)


def test_unknown_markers_are_refused():
    with pytest.raises(XalignError, match="begins no marker"):
        read_usfm("a \\ b")
