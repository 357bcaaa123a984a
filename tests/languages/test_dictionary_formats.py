"""Dictionaries as their formats write them: by hand, by round trip, and FreeDict's own."""

import gzip
import random
from pathlib import Path

import pytest

from xalign_fairseq.errors import XalignError
from xalign_fairseq.languages.lexicons import dictd
from xalign_fairseq.languages.lexicons.formats import files_of, format_of, read_entries
from xalign_fairseq.languages.lexicons.notes import without_notes

FREEDICT = Path(__file__).resolve().parents[3] / "shared" / "data" / "dict" / "freedict"

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>t</title></titleStmt></fileDesc>
</teiHeader><text><body>
<entry><form><orth>lead</orth><orth>led</orth><pron>x</pron><form type="infl"><orth>leads</orth></form></form>
  <form type="infl"><orth>leading</orth></form><gramGrp><pos>v</pos></gramGrp>
  <sense n="1"><usg>fig</usg><cit type="trans"><quote>führen</quote><quote>leiten</quote></cit>
    <cit type="example"><quote>all roads</quote><cit type="trans"><quote>alle Wege</quote></cit></cit>
    <sense><cit type="translation"><quote>an<hi>führen</hi> <note>(mil.)</note></quote></cit></sense></sense>
  <re><form><orth>lead on</orth></form><sense><cit type="trans"><quote>anstacheln</quote></cit></sense></re>
</entry>
<superEntry><entry><form><orth>Metal &amp; ore</orth></form><hom><sense><cit type="trans">
  <quote>Blei</quote></cit></sense></hom></entry></superEntry>
<entry><form><orth>orphan</orth></form><sense><def>has no translation</def></sense></entry>
<entry><form/><sense><cit type="trans"><quote>ohne Kopf</quote></cit></sense></entry>
</body></text></TEI>
"""
TEI_ENTRIES = [
    *((word, to) for word in ("lead", "led") for to in ("führen", "leiten", "anführen")),
    ("Metal & ore", "Blei"), ("orphan", ""), ("", "ohne Kopf"),
]  # fmt: skip
P4 = """<?xml version="1.0"?><TEI.2><text><body><entry><form><orth>sea</orth></form>
<sense><trans><tr>Meer</tr></trans><trans><tr>See</tr></trans><eg><q>at sea</q><trans><tr>auf See</tr></trans></eg>
</sense></entry></body></text></TEI.2>"""

# Headword line, senses, and what stands between them in FreeDict's dictd files.
DEFINITIONS = [
    ("00databaseshort", "English-German FreeDict Dictionary\n", []),
    ("00-database-info", "house\nHaus\n", []),
    ("abc", "ABC /eibiːsiː/\nAbc, Alphabet\n", [("ABC", "Abc"), ("ABC", "Alphabet")]),
    ("lead", "lead /liːd/ <v, pl>\n1. führen, leiten\n  2.  [mil.]  anführen; vorangehen <v>\n",
     [("lead", to) for to in ("führen", "leiten", "anführen", "vorangehen")]),
    ("virtue", 'virtue <n>\nTugend <fem>\n      "out of virtue"  - aus Tugend\n see: {virtues}\n         Note: ethics\n'
     "   Synonym: {goodness}\n\n See also: {vice}\n", [("virtue", "Tugend")]),
    ("lay", "lay /leɪ/\nI.  <V> 1.  [dywan]  legen\n 2.  lay hold of (lay V: :hold :of)\n - ergreifen\n",
     [("lay", "legen")]),
    ("house and/or home", "house and/or home\nHaus ~ und_Hof\n?\n", [("house and/or home", "Haus und Hof")]),
    ("the (old) way", "the (old (very)) way\nArt, , Weise،\n", [("the way", "Art"), ("the way", "Weise")]),
    ("bare", "bare\n", [("bare", "")]),
    ("V.", "V. /viː/\nV.\n", [("V.", "")]),
]  # fmt: skip


def number(value):
    """dictd's base 64: the digits of a number, none of them needless."""
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return (number(value // 64) if value >= 64 else "") + digits[value % 64]


def write_dictd(folder, definitions, compress=True, name="made-up"):
    content, lines = b"", []
    for headword, text in definitions:
        raw = text.encode()
        lines.append(f"{headword}\t{number(len(content))}\t{number(len(raw))}\n")
        content += raw
    (folder / f"{name}.index").write_text("".join(lines), encoding="utf-8")
    suffix = ".dict.dz" if compress else ".dict"
    (folder / f"{name}{suffix}").write_bytes(gzip.compress(content) if compress else content)
    return folder / f"{name}{suffix}"


def entries(path, kind="auto"):
    return list(read_entries(path, kind))


def test_tsv(tmp_path):
    path = tmp_path / "en-de.txt"
    path.write_text("big house\tgroßes Haus\tn\n\nbig\tgroß\nalone\n\tohne\n \t \nbig\tgroß\n", encoding="utf-8")
    assert format_of(path) == "tsv"
    assert entries(path) == [
        ("big house", "großes Haus"), ("big", "groß"), ("alone", ""), ("", "ohne"), ("big", "groß"),
    ]  # fmt: skip


def test_muse(tmp_path):
    path = tmp_path / "en-de.txt"
    path.write_text("big groß\nsmall\tklein\n\nalone\n  the   der\n", encoding="utf-8")
    assert format_of(path) == "muse"
    assert entries(path) == [("big", "groß"), ("small", "klein"), ("alone", ""), ("the", "der")]
    path.write_text("big groß\nbig house großes Haus\n", encoding="utf-8")
    with pytest.raises(XalignError, match="line 2"):
        entries(path)


@pytest.mark.parametrize("name", ["made-up.tei", "made-up.xml.gz", "made-up.TEI"])
def test_tei(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(TEI.encode()) if name.endswith(".gz") else TEI.encode())
    assert format_of(path) == "tei" and files_of(path) == [path]
    assert entries(path) == TEI_ENTRIES


def test_tei_of_the_older_kind(tmp_path):
    (tmp_path / "old.tei").write_text(P4)
    assert entries(tmp_path / "old.tei") == [("sea", "Meer"), ("sea", "See")]


@pytest.mark.parametrize(
    ("content", "words"),
    [(TEI[:-20].encode(), "can't be read"), (b"", "can't be read"),
     (gzip.compress(TEI.encode())[:-30], "can't be read"),
     (b"<TEI><text/></TEI>", "no entry"), (b"\x1f\x8bgzip it is not", "can't be read")],
)  # fmt: skip
def test_damaged_tei(tmp_path, content, words):
    (tmp_path / "bad.tei").write_bytes(content)
    with pytest.raises(XalignError, match=words):
        entries(tmp_path / "bad.tei")


@pytest.mark.parametrize("compress", [True, False])
def test_dictd(tmp_path, compress):
    path = write_dictd(tmp_path, [(headword, text) for headword, text, _ in DEFINITIONS], compress)
    expected = [pair for *_, pairs in DEFINITIONS for pair in pairs]
    index = tmp_path / "made-up.index"
    for each in (path, index):
        assert format_of(each) == "dictd" and files_of(each) == [index, path]
        assert entries(each) == expected


def test_two_headwords_of_one_definition_are_one_entry(tmp_path):
    path = write_dictd(tmp_path, [("colour", "colour\nFarbe\n"), ("tone", "tone\nTon\n")])
    index = tmp_path / "made-up.index"
    index.write_text(index.read_text() + index.read_text().replace("colour", "color"))
    assert entries(path) == [("colour", "Farbe"), ("tone", "Ton")]


@pytest.mark.parametrize("value", [0, 1, 63, 64, 4095, 4096, 16777216, 123456789012])
def test_numbers_of_the_index(value):
    assert dictd._number(number(value)) == value


def test_a_number_by_hand():
    assert dictd._number("LNq") == 11 * 64**2 + 13 * 64 + 42


def test_every_offset_is_followed(tmp_path):
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwäöü", k=rng.randint(1, 12))) for _ in range(600)]
    pairs = list(zip(words[::2], words[1::2], strict=True))
    path = write_dictd(tmp_path, [(a, f"{a} /x/\n{b}\n") for a, b in pairs])
    assert entries(path) == pairs


@pytest.mark.parametrize(
    ("line", "words"),
    [("house", "not of a dictd index"), ("house\tA", "not of a dictd index"), ("house\tA\t-", "not of a dictd index"),
     ("house\tA\t", "not of a dictd index"), ("house\tA\tBA", "bytes 0 to 64")],
)  # fmt: skip
def test_a_damaged_index(tmp_path, line, words):
    path = write_dictd(tmp_path, [("tone", "tone\nTon\n")])
    index = tmp_path / "made-up.index"
    index.write_text(f"{index.read_text()}{line}\n")
    with pytest.raises(XalignError, match=words) as caught:
        entries(path)
    assert "line 2" in str(caught.value)


def test_damaged_text(tmp_path):
    path = write_dictd(tmp_path, [("tone", "tone\nTon\n")])
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(XalignError, match="damaged"):
        entries(path)
    path.write_bytes(gzip.compress(b"tone\n\xffon\n"))
    with pytest.raises(XalignError, match="not UTF-8"):
        entries(path)


def test_missing_files(tmp_path):
    path = write_dictd(tmp_path, [("tone", "tone\nTon\n")])
    for name in ("none.tei", "none.tsv", "none.index", "none.dict"):
        with pytest.raises(XalignError, match="none"):
            entries(tmp_path / name)
    path.unlink()
    with pytest.raises(XalignError, match=r"no made-up\.dict or made-up\.dict\.dz"):
        entries(tmp_path / "made-up.index")


@pytest.mark.parametrize(
    ("text", "left"),
    [("(to) go <v> [coll.]", "go"), ("a (b (c) d) e", "a e"), ("a) b (c", "a) b (c"), ("x~y_z {pl}", "x y z"),
     ("((((", "(((("), ("  a   b ", "a b")],
)  # fmt: skip
def test_notes(text, left):
    assert without_notes(text) == left


@pytest.mark.parametrize("name", ["eng-fra", "eng-swe", "spa-eng"])
def test_real_tsv(name):
    path = FREEDICT / f"{name}.tsv"
    if not path.exists():
        pytest.skip("no real dictionaries at ../shared/data/dict")
    found = entries(path)
    assert found == [tuple(line.split("\t")) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(found) > 8000 and all(headword and translation for headword, translation in found)


def test_real_entries_through_dictd_and_tei(tmp_path):
    path = FREEDICT / "eng-swe.tsv"
    if not path.exists():
        pytest.skip("no real dictionaries at ../shared/data/dict")
    real = entries(path)
    by_headword: dict[str, list[str]] = {}
    for headword, translation in real:
        by_headword.setdefault(headword, []).append(translation)
    text = [(headword, f"{headword} /x/\n" + "".join(f"{i}. {to}\n" for i, to in enumerate(translations, 1)))
            for headword, translations in by_headword.items()]  # fmt: skip
    again = [(headword, to) for headword, translations in by_headword.items() for to in translations]
    assert entries(write_dictd(tmp_path, text)) == again
    body = "".join(
        f"<entry><form><orth>{headword}</orth></form><sense><cit type='trans'>"
        + "".join(f"<quote>{to}</quote>" for to in translations)
        + "</cit></sense></entry>"
        for headword, translations in by_headword.items()
    )
    (tmp_path / "swe.tei").write_text(f"<TEI xmlns='http://www.tei-c.org/ns/1.0'>{body}</TEI>", encoding="utf-8")
    assert entries(tmp_path / "swe.tei") == again
