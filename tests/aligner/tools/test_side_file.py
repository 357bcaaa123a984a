"""Links as they are written: filters, counts that add up, new texts, and nothing where nothing is left."""

import hashlib
import json

import pytest

from xalign_fairseq.aligner.tools.engines import LinkedPair
from xalign_fairseq.aligner.tools.files import LinkFiles
from xalign_fairseq.aligner.tools.filters import FILTERS
from xalign_fairseq.aligner.tools.side_file import write_links
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.version import __version__

SRC = ["Paris is  big", "", "a b", "c"]
TGT = ["Paris est grand", "x", "y", "c"]
LINKS = [{(0, 0), (1, 1), (2, 2), (0, 2)}, set(), {(0, 0), (1, 0)}, {(0, 0)}]
ENGINE = {"name": "hand"}


@pytest.fixture
def write(tmp_path):
    """The function that writes the links of the texts with filters; the manifest and the files written."""
    for name, lines in (("all.en", SRC), ("all.fr", TGT)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))

    def run(*filters, directions=False, pairs=None):
        out = tmp_path / "out"
        out.mkdir(exist_ok=True)
        both = str(out / "ways") if directions else None
        texts = (str(tmp_path / name) for name in ("all.en", "all.fr"))
        files = LinkFiles.of(*texts, str(out / "kept"), drops_pairs="empty" in filters, directions=both)
        manifest = write_links(made(directions) if pairs is None else pairs, files, filters, ENGINE)
        return manifest, {path.name: path.read_text() for path in out.iterdir()}

    return run


def made(directions=False):
    """The pairs with their links, which are forward and backward ones too."""
    return [
        LinkedPair(src.split(), tgt.split(), frozenset(links), (links, {(0, 0)}) if directions else None, src == "c")
        for src, tgt, links in zip(SRC, TGT, map(frozenset, LINKS), strict=True)
    ]


def test_all_links_without_filters(write, tmp_path):
    manifest, files = write()
    assert files["kept"] == "0-0 0-2 1-1 2-2\n\n0-0 1-0\n0-0\n"
    assert json.loads(files["kept.json"]) == manifest and files.keys() == {"kept", "kept.json"}
    assert manifest["counts"] == {
        "links": {"found": 7, "identical": 0, "not_one_to_one": 0, "kept": 7},
        "pairs": {"read": 4, "blank": 1, "too_long": 1, "without_link": 1, "dropped": 0, "written": 4},
    }
    assert (manifest["xalign_fairseq"], manifest["engine"], manifest["filters"]) == (__version__, ENGINE, [])
    for side, name in (("src", "all.en"), ("tgt", "all.fr")):
        digest = hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
        assert manifest[side] == {"file": str(tmp_path / name), "sha256": digest}


def test_filters_follow_each_other_and_counts_add_up(write):
    manifest, files = write(*FILTERS)
    # Paris and c are the same in both languages; then grand has two links left, and so has y.
    assert files["kept.links"] == "1-1\n"
    assert (files["kept.en"], files["kept.fr"]) == ("Paris is  big\n", "Paris est grand\n")  # as they were written
    assert manifest["filters"] == list(FILTERS)
    assert manifest["counts"] == {
        "links": {"found": 7, "identical": 2, "not_one_to_one": 4, "kept": 1},
        "pairs": {"read": 4, "blank": 1, "too_long": 1, "without_link": 3, "dropped": 3, "written": 1},
    }


def test_one_filter_alone_keeps_the_lines(write):
    manifest, files = write("identical")
    assert files["kept"] == "0-2 1-1 2-2\n\n0-0 1-0\n\n"
    assert manifest["counts"]["pairs"]["dropped"] == 0 and manifest["counts"]["links"]["identical"] == 2
    _, files = write("one-to-one")
    assert files["kept"] == "1-1\n\n\n0-0\n"


def test_both_directions_are_written_as_they_were_found(write):
    manifest, files = write(*FILTERS, directions=True)
    assert files["ways.fwd"] == "0-0 0-2 1-1 2-2\n\n0-0 1-0\n0-0\n" and files["ways.rev"] == "0-0\n" * 4
    assert (manifest["counts"]["links"]["forward"], manifest["counts"]["links"]["backward"]) == (7, 4)


def test_nothing_is_written_where_no_pair_is_left(write, tmp_path):
    bare = [pair._replace(links=frozenset()) for pair in made()]
    with pytest.raises(XalignError, match=r"no sentence pair has a link left[\s\S]*found: 0 links before the filters"):
        write(*FILTERS, pairs=bare)
    assert not list((tmp_path / "out").iterdir())


@pytest.mark.parametrize("pairs", [made()[:3], made() * 2])
def test_pairs_that_are_not_those_of_the_text(write, tmp_path, pairs):
    with pytest.raises(ValueError, match="zip"):
        write(pairs=pairs)
    assert not list((tmp_path / "out").iterdir())


def test_counts_of_one_pair_are_numbers(write, tmp_path):
    for name, lines in (("all.en", SRC), ("all.fr", TGT)):
        (tmp_path / name).write_text(lines[0] + "\n")
    manifest, files = write(pairs=made()[:1])
    assert {type(count) for count in manifest["counts"]["pairs"].values()} == {int}
    assert "true" not in files["kept.json"].lower()
