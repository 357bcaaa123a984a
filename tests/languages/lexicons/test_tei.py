import contextlib
import gzip

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.containers import BLOCK, MOST_CHARACTERS
from xalign_fairseq.languages.lexicons import tei
from xalign_fairseq.languages.lexicons.adding import format_of, read_entries
from xalign_fairseq.languages.lexicons.tei import without_notes

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
    ("Metal & ore", "Blei"),
    ("orphan", ""),
    ("", "ohne Kopf"),
]
P4 = """<?xml version="1.0"?><TEI.2><text><body><entry><form><orth>sea</orth></form>
<sense><trans><tr>Meer</tr></trans><trans><tr>See</tr></trans><eg><q>at sea</q><trans><tr>auf See</tr></trans></eg>
</sense></entry></body></text></TEI.2>"""


def entries(path, kind="auto"):
    return list(read_entries(path, kind))


@pytest.mark.parametrize("name", ["made-up.tei", "made-up.xml.gz", "made-up.TEI"])
def test_tei(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(TEI.encode()) if name.endswith(".gz") else TEI.encode())
    assert format_of(path) == "tei"
    assert entries(path) == TEI_ENTRIES


def test_tei_of_the_older_kind(tmp_path):
    (tmp_path / "old.tei").write_text(P4)
    assert entries(tmp_path / "old.tei") == [("sea", "Meer"), ("sea", "See")]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (TEI[:-20].encode(), "can't be read"),
        (b"", "can't be read"),
        (gzip.compress(TEI.encode())[:-30], "can't be read"),
        (b"<TEI><text/></TEI>", "no entry"),
        (b'<?xml version="1.0" encoding="none"?><TEI/>', "can't be read"),
        (b'<?xml version="1.0" encoding="utf-7"?><TEI/>', "can't be read"),
        (b"<a>" * 50_000, "can't be read"),
        (b"<entry>" + b"<sense>" * 50_000 + b"</sense>" * 50_000 + b"</entry>", "can't be read"),
        (b"\x1f\x8bgzip it is not", "can't be read"),
    ],
)
def test_damaged_tei(tmp_path, content, words):
    (tmp_path / "bad.tei").write_bytes(content)
    with pytest.raises(XalignError, match=words):
        entries(tmp_path / "bad.tei")


def test_markup_that_expat_would_reread_is_refused(tmp_path, monkeypatch):
    (tmp_path / "d.tei.gz").write_bytes(gzip.compress(b"<TEI a='" + b"x" * (1 << 24)))
    with gzip.open(tmp_path / "d.tei.gz") as stream:
        monkeypatch.setattr(tei, "_open", lambda path: contextlib.nullcontext(stream))
        with pytest.raises(XalignError, match=r"TEI file has more than .*\n  where: \S*d.tei.gz"):
            list(read_entries(tmp_path / "d.tei.gz"))
        assert stream.tell() <= MOST_CHARACTERS + 2 * BLOCK


@pytest.mark.parametrize(
    ("text", "left"),
    [("(to) go <v> [coll.]", "go"), ("a (b (c) d) e", "a e"), ("a) b (c", "a) b (c"), ("x~y_z {pl}", "x y z"),
     ("((((", "(((("), ("  a   b ", "a b")],
)  # fmt: skip
def test_notes(text, left):
    assert without_notes(text) == left
