import hashlib
import json

import pytest
from support.links import DIAGONAL, WRITES, only_tools

from xalign_fairseq.aligner.tools import TOOLS
from xalign_fairseq.cli import main
from xalign_fairseq.languages.sample.bitext import write_sample
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.gold import read_gold
from xalign_fairseq.links.pharaoh import read_links
from xalign_fairseq.links.symmetrize import symmetrize

SRC = "a  b\u00a0c\n\nParis now\n||| a\n"
TGT = "x y\nq\nParis now maintenant\nb c\n"


@pytest.fixture
def text(tmp_path, monkeypatch):
    """Four pairs, the second with an empty side; fast_align is the only tool."""
    only_tools(monkeypatch, tmp_path / "bin", fast_align=DIAGONAL)
    folder = tmp_path / "text"
    folder.mkdir()
    (folder / "all.en").write_text(SRC)
    (folder / "all.de").write_text(TGT)
    return folder


def links(folder, *options, src="all.en", tgt="all.de", out="out.links"):
    files = ["--src", folder / src, "--tgt", folder / tgt, "--out", folder / out]
    return main([str(part) for part in ("links", *files, *options)])


def lines(path):
    return path.read_text().split("\n")[:-1]


def test_links_of_both_directions_symmetrised(text, capsys):
    assert links(text, "--directions", text / "ways") == 0
    assert lines(text / "ways.fwd") == ["0-0 1-1", "", "0-0 1-1 1-2", "0-0 1-1"]
    assert lines(text / "ways.rev") == ["0-0 1-1 2-1", "", "0-0 1-1", "0-0 1-1"]
    assert lines(text / "out.links") == ["0-0 1-1 2-1", "", "0-0 1-1 1-2", "0-0 1-1"]
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("4 pairs; links by fast_align\n")
    assert "7 forward, 7 backward, 8 found" in err and "4 read, 1 with an empty side, 1 without a link" in err
    names = ["all.de", "all.en", "out.links", "out.links.json", "ways.fwd", "ways.rev"]
    assert sorted(path.name for path in text.iterdir()) == names


def test_filters_in_their_order_and_new_texts(text):
    assert links(text, "--filters", "empty", "one-to-one", "identical", out="kept") == 0
    # now-now is removed as identical; so maintenant is the only partner of now, and stays.
    assert lines(text / "kept.links") == ["0-0", "1-2", "0-0 1-1"]
    assert (text / "kept.en").read_text() == "a  b\u00a0c\nParis now\n||| a\n"
    assert (text / "kept.de").read_text() == "x y\nParis now maintenant\nb c\n"
    assert (text / "all.en").read_text() == SRC and (text / "all.de").read_text() == TGT
    manifest = json.loads((text / "kept.links.json").read_text())
    assert manifest["filters"] == ["identical", "one-to-one", "empty"]
    assert manifest["src"] == {"file": str(text / "all.en"), "sha256": hashlib.sha256(SRC.encode()).hexdigest()}
    assert manifest["engine"]["name"] == "fast_align" and manifest["engine"]["symmetrize"] == "grow-diag-final-and"
    assert manifest["counts"] == {
        "links": {"forward": 7, "backward": 7, "found": 8, "identical": 2, "not_one_to_one": 2, "kept": 4},
        "pairs": {"read": 4, "blank": 1, "too_long": 0, "without_link": 1, "dropped": 1, "written": 3},
    }
    assert links(text, "--filters", "wu-dredze", out="again") == 0
    assert (text / "again.links").read_text() == (text / "kept.links").read_text()


@pytest.mark.skipif(TOOLS["eflomal"].find() is None, reason="eflomal is not installed")
def test_eflomal_on_the_sample_gives_links_that_prepare_takes(tmp_path):
    write_sample(tmp_path / "sample", 150, 1, 10, 10)
    folder = tmp_path / "sample/en-de"
    options = ("--engine", "eflomal", "--directions", folder / "all")
    assert links(folder, *options, src="train.en", tgt="train.de", out="train.links") == 0
    gold, found = read_gold(folder / "train.gold"), read_links(folder / "train.links")
    assert len(found) == len(gold) == 150
    # Chance is above 0.9; eflomal is near 0.2 on so small a text (0.05 on 2,000 pairs).
    assert score(found, gold).aer < 0.4
    ways = [read_links(folder / name) for name in ("all.fwd", "all.rev")]
    assert found == [symmetrize(*both) for both in zip(*ways, strict=True)]
    manifest = json.loads((folder / "train.links.json").read_text())
    assert manifest["engine"]["commands"] == ["eflomal-align -v -i text -f forward -r backward"]
    assert manifest["engine"]["version"] and str(tmp_path) not in json.dumps(manifest["engine"])
    assert manifest["counts"]["links"]["kept"] == sum(map(len, found))
    command = f"prepare --out {tmp_path}/bin --pair en-de --trainpref {folder}/train --vocab-size 200"
    assert main([*command.split(), "--links", str(folder / "train.links")]) == 0
    prepared = json.loads((tmp_path / "bin/manifest.json").read_text())["pairs"][0]
    assert prepared["links"]["sure"] == manifest["counts"]["links"]["kept"]


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import sys\nsys.exit('out of memory')", "fast_align failed"),
        (WRITES.format("\n" * 3), "no sentence pair has a link left"),
        (WRITES.format("0-0\n" * 2), "no line of links for the pair of line 4"),
    ],
)
def test_a_failing_tool_leaves_nothing(text, tmp_path, monkeypatch, capsys, program, message):
    monkeypatch.undo()
    only_tools(monkeypatch, tmp_path / "other", fast_align=program)
    assert links(text, "--filters", "empty", "--directions", text / "ways") == 2
    assert message in capsys.readouterr().err
    assert sorted(path.name for path in text.iterdir()) == ["all.de", "all.en"]
