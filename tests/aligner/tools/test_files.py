"""Names of the files of ``xalign links``, and what is refused before anything is written."""

import os
from pathlib import Path

import pytest

from xalign_fairseq.aligner.tools.engines import LinkedPair
from xalign_fairseq.aligner.tools.files import LinkFiles
from xalign_fairseq.aligner.tools.side_file import write_links
from xalign_fairseq.core.errors import XalignError


@pytest.fixture
def text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("all.en").write_text("a\nb\n")
    Path("all.de").write_text("x\ny\n")
    return tmp_path


def test_names_of_the_outputs():
    assert LinkFiles.of("all.en", "all.de", "to/links").outputs == [Path("to/links"), Path("to/links.json")]
    for out in ("to/kept", "to/kept.links"):
        files = LinkFiles.of("all.en", "v1.all.de", out, drops_pairs=True, directions="d")
        names = ["to/kept.links", "to/kept.en", "to/kept.de", "d.fwd", "d.rev", "to/kept.links.json"]
        assert files.outputs == list(map(Path, names))


def test_new_texts_are_named_by_their_languages():
    texts = LinkFiles.of("all.en.gz", "memory.tmx#de", "kept", drops_pairs=True).texts
    assert texts == (Path("kept.en"), Path("kept.de"))


def test_new_texts_need_suffixes():
    with pytest.raises(XalignError, match=r"(?s)names of the new text.*where: text/english"):
        LinkFiles.of("text/english", "text/all.de", "kept", drops_pairs=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"out": "all.en"}, "an input would be overwritten"),
        ({"out": "../{}/all.de"}, "an input would be overwritten"),
        ({"out": "model"}, "an input would be overwritten"),
        ({"out": "all", "drops_pairs": True}, "an input would be overwritten"),
        ({"out": "t.tsv", "src": "t.tsv#1", "tgt": "t.tsv#2"}, "an input would be overwritten"),
        ({"out": "same"}, "an input would be overwritten"),
        ({"out": "d.fwd", "directions": "d"}, "two outputs have the same name"),
        ({"out": "k", "drops_pairs": True, "tgt": "other.en"}, "two outputs have the same name"),
        ({"out": "folder"}, "is a folder"),
        ({"out": "weights/config.json"}, "also an input"),
    ],
)
def test_outputs_that_can_t_be(text, options, message):
    Path("folder").mkdir()
    Path("weights").mkdir()
    Path("weights/config.json").touch()
    Path("model").touch()
    Path("same").symlink_to("all.en")
    options = {"src": "all.en", "tgt": "all.de"} | options
    options["out"] = options["out"].format(text.name)
    with pytest.raises(XalignError, match=message):
        LinkFiles.of(**options).check(overwrite=True, other_inputs=("model", "weights"))


def test_existing_outputs_are_refused_by_name(text):
    files = LinkFiles.of("all.en", "all.de", "links", directions="d")
    files.check()
    Path("d.rev").touch()
    Path("links.json").touch()
    with pytest.raises(XalignError, match=r"(?s)already exist.*where: d.rev, links.json\n.*by overwrite"):
        files.check()
    files.check(overwrite=True)


def test_an_error_in_the_middle_leaves_everything_as_it_was(text):
    def broken():
        yield LinkedPair(["a"], ["x"], frozenset({(0, 0)}), (frozenset(), frozenset()), False)
        raise XalignError("the tool broke")

    Path("kept.links").write_text("old")
    before = sorted(os.listdir())
    files = LinkFiles.of("all.en", "all.de", "kept", drops_pairs=True, directions="d")
    with pytest.raises(XalignError, match="the tool broke"):
        write_links(broken(), files, ("empty",), {"name": "broken"})
    assert sorted(os.listdir()) == before and Path("kept.links").read_text() == "old"


def test_filters_that_leave_nothing_are_an_error(text):
    pairs = [LinkedPair([w], [w], frozenset({(0, 0)}), None, False) for w in "ab"]
    files = LinkFiles.of("all.en", "all.de", "kept", drops_pairs=True)
    with pytest.raises(XalignError, match=r"(?s)no sentence pair has a link left.*found: 2 links"):
        write_links(pairs, files, ("identical", "empty"), {"name": "copy"})
    assert sorted(os.listdir()) == ["all.de", "all.en"]
