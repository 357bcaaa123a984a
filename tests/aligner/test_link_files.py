from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.aligner.link_files import LinkFiles, LinksRun, keep_one_to_one, link_files
from xalign_fairseq.core.errors import XalignError


@pytest.fixture
def text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("all.en").write_text("a\nb\n")
    Path("all.de").write_text("x\ny\n")
    return tmp_path


@pytest.mark.parametrize(
    ("out", "options", "message"),
    [
        ("all.en", {}, "also an input"),
        ("../{}/all.de", {}, "also an input"),
        ("model", {}, "also an input"),
        ("all", {"drops_pairs": True}, "also an input"),
        ("t.tsv", {"texts": ("t.tsv#1", "t.tsv#2")}, "also an input"),
        ("same", {}, "also an input"),
        ("weights/config.json", {}, "also an input"),
        ("d.fwd", {"directions": "d"}, "two outputs have the same name"),
        ("k", {"drops_pairs": True, "texts": ("all.en", "other.en")}, "two outputs have the same name"),
        ("k", {"texts": ("all.en", "./all.en")}, "both sides are the same text"),
        ("k", {"drops_pairs": True, "texts": ("none.en", "all.de")}, "the file does not exist.*where: none.en"),
        ("k", {"drops_pairs": True, "texts": ("m.tmx", "m.tmx")}, "memory has several languages.*m.tmx#en m.tmx#de"),
        ("k", {"drops_pairs": True, "texts": ("x.xlf", "x.xlf")}, "not plain text"),
        ("k", {"drops_pairs": True, "texts": ("q.docx", "all.de")}, "a Word.*where: q.docx"),
        ("folder", {}, "is a folder"),
        ("k", {"drops_pairs": True, "texts": ("text/english", "all.de")}, "names of the new text.*where: text/english"),
    ],
)
def test_invalid_outputs(text, out, options, message):
    for name in ("folder", "weights", "text"):
        Path(name).mkdir()
    for name in ("weights/config.json", "model", "m.tmx"):
        Path(name).touch()
    written = {"other.en": "c\n", "t.tsv": "a\tb\n", "text/english": "a\n", "q.docx": "PK\3\4", "x.xlf": "<xliff>"}
    for name, text_of_file in written.items():
        Path(name).write_text(text_of_file)
    Path("same").symlink_to("all.en")
    files = LinkFiles(**{"texts": ("all.en", "all.de"), "out": out.format(text.name), **options})
    with pytest.raises(XalignError, match=f"(?s){message}"):
        files.check(("model", "weights"))


def test_existing_outputs_are_refused_by_name(text):
    Path("d.rev").touch()
    Path("links.json").touch()
    with pytest.raises(XalignError, match=r"(?s)already exists.*where: d.rev, links.json\n.*or set overwrite"):
        link_files(LinksRun("all.en", "all.de", "links", directions="d"))


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_one_to_one_keeps_the_links_that_no_other_link_touches(links):
    alone = {(i, j) for i, j in links if all((i, j) == (k, m) or (i != k and j != m) for k, m in links)}
    assert keep_one_to_one(links) == alone
