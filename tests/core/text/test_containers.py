import contextlib
import gzip
import hashlib
import io
import lzma
import tracemalloc
from xml.sax.saxutils import escape

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text import containers, corpus
from xalign_fairseq.core.text.containers import BLOCK, MOST_CHARACTERS, open_text, sides_of, suffix_of, text_sha256
from xalign_fairseq.core.text.corpus import scan
from xalign_fairseq.core.text.lines import read_lines

UNITS = [("one", "eins"), ("two\nlines", "zwei <b>fett</b>"), (None, "drei"), ("four", ""), ("five\u00a0& six", "fünf")]


def memory(units, head="", encoding="UTF-8", names=("en-GB", "DE")):
    rows = [f'<?xml version="1.0" encoding="{encoding}"?>{head}<tmx version="1.4"><header/><body>']
    for texts in units:
        variants = zip(names, texts, strict=True)
        rows.append("<tu><note>n</note>")
        rows += [f'<tuv xml:lang="{name}"><seg>{escape(t)}</seg></tuv>' for name, t in variants if t is not None]
        rows.append("</tu>")
    return "\n".join([*rows, "</body></tmx>"]).encode(encoding)


def read(path):
    with open_text(path) as stream:
        return stream.read().decode()


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16", "ISO-8859-1"])
def test_a_language_of_tmx_has_a_line_for_each_unit(tmp_path, monkeypatch, encoding):
    monkeypatch.setattr(containers, "BLOCK", 7)
    (tmp_path / "m.tmx").write_bytes(memory(UNITS, encoding=encoding))
    assert read(f"{tmp_path}/m.tmx#en") == "one\ntwo lines\n\nfour\nfive\u00a0& six\n"
    assert read(f"{tmp_path}/m.tmx#de") == "eins\nzwei <b>fett</b>\ndrei\n\nfünf\n"
    with pytest.raises(XalignError, match=r"(?s)no text in this language.*fr.*en-GB"):
        read(f"{tmp_path}/m.tmx#fr")


def test_code_in_segments_and_second_variants_are_left_out(tmp_path):
    breaks = '<ph type="lb"/>d<ph type="lb">\\n</ph>e<ph>&lt;br/&gt;</ph>f<ph>&amp;lt;br/></ph>g'
    seg = f"<seg>a <bpt i='1'>[b]<sub>x</sub></bpt>b<ept i='1'>[/b]</ept> <hi>c</hi>{breaks}</seg>"
    text = f"<tmx><body><tu><tuv lang='en'>{seg}</tuv><tuv lang='en-US'><seg>z</seg></tuv></tu></body></tmx>"
    (tmp_path / "m.tmx").write_text(text)
    assert read(f"{tmp_path}/m.tmx#en") == "a b c d e fg\n"


def test_an_external_document_type_is_not_fetched_and_entities_are_refused(tmp_path):
    path = tmp_path / "m.tmx"
    path.write_bytes(memory(UNITS, '<!DOCTYPE tmx SYSTEM "http://example.invalid/tmx14.dtd">'))
    assert read(f"{path}#en").startswith("one\n")
    bomb = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10 if i else "x" * 10}">' for i in range(12))
    path.write_bytes(memory(UNITS, f"<!DOCTYPE tmx [{bomb}]>"))
    with pytest.raises(XalignError, match="defines entities"):
        read(f"{path}#en")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        *((raw, "not well-formed XML") for raw in (b"", b"no xml", memory(UNITS)[:-9])),
        (memory(UNITS).replace(b"UTF-8", b"klingon"), "TMX file can't be read"),
        (
            memory([("caf\xe9\n", "")], encoding="latin1").replace(b"latin1", b"utf8"),
            r"not UTF-8\n.*line 3\n.*0xe9.*\n.*",
        ),
        (b"<a>\n" + b"b" * 65531 + b"\xe9c</a>", r"not UTF-8\n.*line 2\n.*0xe9 at position 65531 "),  # ends a block
        (b"<a>" + b"b" * 65526 + "</bbbbbb>€   ".encode(), "not well-formed XML"),
        ("<a><\ufffd </a>".encode(), "not well-formed XML"),
        *(
            (b'<?xml version="1.0" encoding="%b"?><a><\xd7' % each, "not well-formed XML")
            for each in (b"ISO-8859-1", b"windows-1252")
        ),
        ("<a>é".encode("UTF-16"), "not well-formed XML"),
        # With 10,000 default attributes, each element would have them all.
        (
            memory(UNITS, "<!DOCTYPE tmx [<!ATTLIST tu a CDATA 'x' b CDATA 'x'>]>"),
            r"declarations of attributes[\s\S]*found: tu",
        ),
    ],
)
def test_unsuitable_tmx_is_an_error(tmp_path, raw, message):
    (tmp_path / "m.tmx").write_bytes(raw)
    with pytest.raises(XalignError, match=message) as error:
        read(f"{tmp_path}/m.tmx#en")
    assert "m.tmx" in str(error.value)


def test_a_unit_without_end_takes_no_memory(tmp_path):
    (tmp_path / "m.tmx.xz").write_bytes(lzma.compress(b"<tmx><tu><tuv lang='en'><seg>" + b"x" * (1 << 26)))
    tracemalloc.start()
    with pytest.raises(XalignError, match="unit of the TMX file is too long"):
        read(f"{tmp_path}/m.tmx.xz#en")
    assert tracemalloc.get_traced_memory()[1] < 1 << 25
    tracemalloc.stop()


@pytest.mark.parametrize("raw", [b"<tmx a='%b'/>", b"<tmx><!--%b--></tmx>", b"<tmx><tu %b", b"<?x %b?><tmx/>"])
def test_markup_that_expat_would_reread_is_refused(monkeypatch, raw):
    stream = io.BytesIO(raw % (b"x" * (1 << 24)))
    monkeypatch.setattr(containers, "open_file", lambda path: contextlib.nullcontext(stream))
    with pytest.raises(XalignError, match=r"tag or comment of the TMX file is too long\n  where: m.tmx.gz"):
        read("m.tmx.gz#en")
    assert stream.tell() <= MOST_CHARACTERS + 2 * BLOCK


def test_a_translation_memory_is_not_one_text(tmp_path):
    (tmp_path / "m.tmx").write_bytes(memory(UNITS))
    for each in (scan, lambda path: list(read_lines(path)), lambda path: list(read_lines(path, table=True))):
        with pytest.raises(
            XalignError, match=r"several languages\n  where: \S*m.tmx\n  found: .*en-GB.*\n.*m.tmx#\S+ \S*m.tmx#"
        ):
            each(tmp_path / "m.tmx")
    (tmp_path / "m.tmx").write_bytes(b"no xml")
    with pytest.raises(XalignError, match=r"found: no language\n  expected: .*m.tmx#en .*m.tmx#de"):
        scan(tmp_path / "m.tmx")


def test_a_table_is_one_text_only_where_it_has_one_column(tmp_path):
    for name in ("t.tsv", "t.tsv.gz"):
        raw = b"a b\tc\td\nx\ty\tz\n"
        (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)
        for each in (scan, lambda path: list(read_lines(path))):
            with pytest.raises(XalignError, match=rf"several columns\n  where: \S*{name}\n.*{name}#1"):
                each(tmp_path / name)
        assert list(read_lines(tmp_path / name, table=True)) == ["a b\tc\td", "x\ty\tz"]
    (tmp_path / "t.tsv").write_text("a b\nc\n")
    assert scan(tmp_path / "t.tsv").read() == list(read_lines(tmp_path / "t.tsv")) == ["a b", "c"]


def test_columns_of_a_table(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "CHUNK_LINES", 2)
    path = tmp_path / "t.tsv.gz"
    path.write_bytes(gzip.compress("a b\tä\tx\r\n\tö\ty\n\nc\tü\n".encode()))
    assert read(f"{path}#1") == "a b\n\n\nc\n"
    text = scan(f"{path}#2")
    assert (text.lines, text.read()) == (4, ["ä", "ö", "", "ü"])
    assert [part.read() for part in text.parts()] == [["ä", "ö"], ["", "ü"]]
    assert [part.read() for part in text.share(1, 2).parts()] == [["", "ü"]]
    with pytest.raises(XalignError, match=r"(?s)fewer than 3 columns.*line 4.*2"):
        read(f"{path}#3")
    for part, message in (("0", ""), ("x", r".*such as \S*t.tsv.gz#3$"), ("", "")):
        with pytest.raises(XalignError, match=f"(?s)by its number{message}"):
            read(f"{path}#{part}")


def test_a_prefix_names_both_sides(tmp_path):
    for name in ("t.tsv", "m.tmx.gz", "p.en", "p.de.xz"):
        (tmp_path / name).write_text("x\n")
    at = str(tmp_path)
    assert sides_of(f"{at}/t.tsv", "en", "de") == (f"{at}/t.tsv#1", f"{at}/t.tsv#2")
    assert sides_of(f"{at}/t.tsv#4,2", "en", "de") == (f"{at}/t.tsv#4", f"{at}/t.tsv#2")
    assert sides_of(f"{at}/m.tmx.gz", "en", "de") == (f"{at}/m.tmx.gz#en", f"{at}/m.tmx.gz#de")
    assert sides_of(f"{at}/p", "en", "de") == (f"{at}/p.en", f"{at}/p.de.xz")
    assert sides_of(f"{at}/none.tsv", "en", "de") == (f"{at}/none.tsv.en", f"{at}/none.tsv.de")
    with pytest.raises(XalignError, match="the columns of the bitext"):
        sides_of(f"{at}/t.tsv#1", "en", "de")


def test_a_folder_of_moses_format(tmp_path):
    for name in ("README", "LICENSE", "Books.de-en.de", "Books.de-en.en.gz", "Books.de-en.ids", "other.en"):
        (tmp_path / name).write_text("x\n")
    assert sides_of(str(tmp_path), "en", "de") == (f"{tmp_path}/Books.de-en.en.gz", f"{tmp_path}/Books.de-en.de")
    with pytest.raises(XalignError, match="no such pair of files"):
        sides_of(str(tmp_path), "en", "fr")
    for lang in ("en", "de"):
        (tmp_path / f"second.{lang}").write_text("x\n")
    with pytest.raises(XalignError, match=r"Books.de-en.en, second.en"):
        sides_of(str(tmp_path), "en", "de")


def test_the_digest_of_a_text_is_that_of_its_file_and_of_the_part(tmp_path):
    (tmp_path / "t.tsv").write_bytes(b"a\tb\n")
    of_file = hashlib.sha256(b"a\tb\n").hexdigest()
    assert text_sha256(tmp_path / "t.tsv") == of_file
    assert text_sha256(f"{tmp_path}/t.tsv#2") == f"{of_file}#2"


@pytest.mark.parametrize(
    ("path", "suffix"),
    [
        ("to/train.tok.de", ".de"),
        ("train.de.gz", ".de"),
        ("train.xz", ""),
        ("m.tmx.xz#de", ".de"),
        ("t.tsv#2", ""),
        ("train#2.de", ".de"),
        ("text", ""),
    ],
)
def test_the_language_in_the_name_of_a_text(path, suffix):
    assert suffix_of(path) == suffix
