"""Dictionaries of plain text, and which format a file has."""

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.languages.lexicons.formats import format_of, read_entries

TEI = (
    "<TEI><entry><form><orth>sea</orth></form><sense><cit type='trans'><quote>Meer</quote></cit></sense></entry></TEI>"
)


def entries(path, kind="auto"):
    return list(read_entries(path, kind))


def test_tsv(tmp_path):
    path = tmp_path / "en-de.txt"
    path.write_text("big house\tgroßes Haus\tn\n\nbig\tgroß\nalone\n\tohne\n \t \nbig\tgroß\n", encoding="utf-8")
    assert format_of(path) == "tsv"
    assert entries(path) == [
        ("big house", "großes Haus"),
        ("big", "groß"),
        ("alone", ""),
        ("", "ohne"),
        ("big", "groß"),
    ]


def test_muse(tmp_path):
    path = tmp_path / "en-de.txt"
    path.write_text("big groß\nsmall\tklein\n\nalone\n  the   der\n", encoding="utf-8")
    assert format_of(path) == "muse"
    assert entries(path) == [("big", "groß"), ("small", "klein"), ("alone", ""), ("the", "der")]
    path.write_text("big groß\nbig house großes Haus\n", encoding="utf-8")
    with pytest.raises(XalignError, match="line 2"):
        entries(path)


@pytest.mark.parametrize("name", ["eng-fra", "eng-swe", "spa-eng"])
def test_real_tsv(freedict, name):
    path = freedict / f"{name}.tsv"
    found = entries(path)
    assert found == [tuple(line.split("\t")) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(found) > 8000 and all(headword and translation for headword, translation in found)


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.tei", "", "tei"),
        ("a.XML.gz", "", "tei"),
        ("a.txt", "big house\tHaus\n", "tsv"),
        ("a.txt", "big groß\n", "muse"),
    ],
)
def test_the_name_tells_the_format_and_else_the_first_line(tmp_path, name, content, kind):
    (tmp_path / name).write_text(content)
    assert format_of(tmp_path / name) == kind


def test_a_format_that_is_given_is_taken(tmp_path):
    path = tmp_path / "en-de.txt"
    path.write_text("big groß\n", encoding="utf-8")
    assert entries(path, "tsv") == [("big groß", "")]
    path.write_text(TEI, encoding="utf-8")
    assert entries(path, "tei") == [("sea", "Meer")]


def test_a_missing_file(tmp_path):
    for name in ("none.tei", "none.tsv"):
        with pytest.raises(XalignError, match="none"):
            entries(tmp_path / name)
