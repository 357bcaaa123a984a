"""Marked-up files of one sentence per line: units, code and comments, translations."""

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.projection.formats import ANNOTATIONS
from xalign_fairseq.projection.units import Annotated, Dropped, Unit

FILES = {
    "html": "\ufeff<p>the <b>red</b> house</p>\n\n<STYLE>a</style>a &amp; b<br>c<script>\n<b>i\n</script>d<!--e\n-->\n",
    "xml": "a <x/> b <y>c</y>\nd<!-- <e>\n<script>\n-->\n",
    "placeholders": "Hello {name}!\n%d files\n",
}
TEXTS = {
    "html": ["the red house", "", "a & b c", "", "d", ""],
    "xml": ["a b c", "d", "", ""],
    "placeholders": ["Hello !", "files"],
}


def reader(tmp_path, name, content, translation=None):
    src, tgt = tmp_path / f"a.{name}", None
    src.write_text(content, encoding="utf-8")
    if translation is not None:
        tgt = tmp_path / "b.txt"
        tgt.write_text("".join(f"{line}\n" for line in translation), encoding="utf-8")
    return ANNOTATIONS[name].read(Annotated(str(src), tgt and str(tgt)))


def projected(pieces, links=None):
    made = [
        piece.project({(i, i): 1.0 for i in range(len(piece.src))} if links is None else links)
        if isinstance(piece, Unit)
        else piece
        for piece in pieces
    ]
    return "".join(each if isinstance(each, str) else each.text for each in made)


@pytest.mark.parametrize("name", FILES)
def test_a_text_that_is_its_own_translation_gets_its_own_markup(tmp_path, name):
    source = reader(tmp_path, name, FILES[name])
    assert [piece.src.text for piece in source if isinstance(piece, Unit)] == TEXTS[name]
    assert projected(reader(tmp_path, name, FILES[name], TEXTS[name])) == FILES[name]


@pytest.mark.parametrize("name", FILES)
def test_a_translation_has_a_line_for_each_text(tmp_path, name):
    texts = [*TEXTS[name], ""]
    while not texts[-1]:  # lines without text may be missing
        assert projected(reader(tmp_path, name, FILES[name], texts)) == FILES[name]
        texts.pop()
    for lines, problem in ((texts[:-1], "few lines|empty"), ([*TEXTS[name], "x"], "many lines")):
        with pytest.raises(XalignError, match=problem):
            list(reader(tmp_path, name, FILES[name], lines))


def test_placeholders_of_an_object_of_json_are_refused(tmp_path):
    with pytest.raises(XalignError, match=r"(?s)line 2.*next: put one string on each line"):
        list(reader(tmp_path, "placeholders", '"a": "Add {x}"\n { "b":"Save {y}"}\n', ['"a": "Lisää"', "{}"]))


def test_broken_markup_names_the_line_and_leaves_the_translation(tmp_path):
    bad, good = (p for p in reader(tmp_path, "xml", "<p a <b>b</b>\n<b>b</b>\n", ["A", "B"]) if isinstance(p, Unit))
    assert bad.where.endswith("a.xml, line 1") and not bad.needs_links
    problems = [(each.item, each.reason) for each in bad.project({}).dropped]
    other = "not copied, because another part of the text cannot be read"
    assert problems == [("<p a <b>b</b>", "a tag is not complete"), ("<b>", other)]
    assert bad.project({}).text == "A"
    assert good.project({}).text == "<b>B</b>"


def test_the_text_of_cdata_reaches_the_translator_and_is_reported(tmp_path):
    """As a tag, it would stay untranslated without a word."""
    text, translation = "<s><![CDATA[Hi <b>you</b>]]></s>", "<s><![CDATA[Hallo <b>du</b>]]></s>"
    [unit] = (p for p in reader(tmp_path, "xml", f"{text}\n", [translation]) if isinstance(p, Unit))
    assert unit.src.text == text and unit.project({}).text == translation
    assert unit.project({}).dropped[0] == Dropped("<![CDATA[Hi <b>you</b>]]>", "CDATA is not supported")
