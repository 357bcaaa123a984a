from importlib.util import find_spec

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.projection.formats import ANNOTATIONS, find_format
from xalign_fairseq.projection.units import Annotated, Unit


def test_a_format_is_found_by_its_name_or_by_that_of_the_file():
    for src in ("a.jsonl", "b/a.ndjson.gz"):
        assert find_format("", src, None) is ANNOTATIONS["json"]
    assert find_format("json", "text", None) is ANNOTATIONS["json"]


def test_raw_text_is_split_by_icu_unless_links_only_count_words(tmp_path):
    (tmp_path / "words").write_text('{"src": [], "tgt": [], "links": []}\n')
    (tmp_path / "numbers").write_text("0-0\n")
    raw = "icu" if find_spec("icu4py") else "auto"
    for name, form in ANNOTATIONS.items():
        found = [form.segmenter(links) for links in (None, str(tmp_path / "words"), str(tmp_path / "numbers"))]
        assert found == (["auto"] * 3 if name in ("conll", "conllu") else [raw, raw, "auto"])


@pytest.mark.parametrize(
    ("name", "src", "tgt", "message"),
    [
        ("", "text", None, r"no ending of a known format[\s\S]*text[\s\S]*json"),
        ("jason", "text", None, r"no such format[\s\S]*jason"),
        ("json", "text", "translation", "in the same file"),
    ],
)
def test_conflicting_options_are_an_error(name, src, tgt, message):
    with pytest.raises(XalignError, match=message):
        find_format(name, src, tgt)


FILES = {
    "html": "<p>the <b>red</b> house</p>\n\na &amp; b<br>c\n",
    "xml": "a <x/> b <y>c</y>\nd\n",
    "placeholders": "Hello {name}!\n%d files\n",
}
TEXTS = {
    "html": ["the red house", "", "a & b c"],
    "xml": ["a b c", "d"],
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
    assert projected(reader(tmp_path, name, FILES[name], TEXTS[name])) == FILES[name].removeprefix("\ufeff")


@pytest.mark.parametrize("name", FILES)
def test_a_translation_has_a_line_for_each_text(tmp_path, name):
    for lines, problem in ((TEXTS[name][:-1] or [], "few lines|empty"), ([*TEXTS[name], "x"], "many lines")):
        with pytest.raises(XalignError, match=problem):
            list(reader(tmp_path, name, FILES[name], lines))


def test_broken_markup_names_the_line_and_leaves_the_translation(tmp_path):
    bad, good = (p for p in reader(tmp_path, "xml", "<b>a\n<b>b</b>\n", ["A", "B"]) if isinstance(p, Unit))
    assert bad.where.endswith("a.xml, line 1") and not bad.needs_links
    [problem] = bad.project({}).dropped
    assert (bad.project({}).text, problem.reason, problem.item) == ("A", "an opening tag has no closing tag", "<b>")
    assert good.project({}).text == "<b>B</b>"
