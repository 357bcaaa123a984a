import sys
from pathlib import Path

import numpy as np
import pytest
from support.text import write_bitext

from xalign_fairseq.aligner import run
from xalign_fairseq.cli import main
from xalign_fairseq.core.text import segmentation
from xalign_fairseq.core.text.segmentation import split_at_spaces


@pytest.fixture
def text(tmp_path):
    return write_bitext(tmp_path)


def arguments(text, *more):
    return ["align", "--src", text[0], "--tgt", text[1], *more]


def test_align_learns_writes_links_and_leaves_an_aligner(text, tmp_path, capsys, monkeypatch):
    out = str(tmp_path / "links")
    assert main(arguments(text, "--from-scratch", "--out", out)) == 0
    first = (tmp_path / "links").read_text()
    assert set(first.splitlines()) == {"0-0 1-1 2-2 3-3"}
    told, few = capsys.readouterr().err, ": statistics need thousands; an encoder (the default, without --from-scratch)"
    assert "from bitext alone" in told and few in told
    monkeypatch.setattr("xalign_fairseq.aligner.run.FEW_PAIRS", 20)
    assert main(arguments(text, "--from-scratch", "--out", out)) == 0 and few not in capsys.readouterr().err
    assert main(arguments(text, "--model", f"{out}.aligner", "--out", out + "2")) == 0
    assert (tmp_path / "links2").read_text() == first


def test_a_bar_shows_the_passes_of_all_models(text, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(arguments(text, "--from-scratch", "--out", str(tmp_path / "links"))) == 0
    told = capsys.readouterr().err
    assert "prefix4: " in told and "36/36 [" in told


def test_lines_are_segmented_once_to_learn_and_to_align(text, tmp_path, monkeypatch):
    seen = []

    def segment(line):
        seen.append(line)
        return split_at_spaces(line)

    monkeypatch.setattr(run, "find_segmenters", lambda _: (segment, segment))
    assert main(arguments(text, "--from-scratch", "--out", str(tmp_path / "links"))) == 0
    assert set((tmp_path / "links").read_text().splitlines()) == {"0-0 1-1 2-2 3-3"}
    assert len(seen) == sum(len(Path(side).read_text().splitlines()) for side in text)


def test_the_output_s_folder_may_be_new(text, tmp_path, monkeypatch):
    monkeypatch.setattr(segmentation, "_icu", lambda: None)  # then a sample of the text is looked at first
    assert main(arguments(text, "--from-scratch", "--out", str(tmp_path / "new/links"))) == 0
    assert set((tmp_path / "new/links").read_text().splitlines()) == {"0-0 1-1 2-2 3-3"}


def test_a_part_of_the_text_to_learn_from(text, tmp_path, capsys):
    """The aligner learns from every second pair; all pairs have links."""
    out = tmp_path / "links"
    assert main(arguments(text, "--from-scratch", "--learn-from", "20", "--out", str(out))) == 0
    halves = [tmp_path / "half.src", tmp_path / "half.tgt"]
    lines = [Path(side).read_text().splitlines(keepends=True) for side in text]
    for half, side in zip(halves, lines, strict=True):
        half.write_text("".join(line for k, line in enumerate(side) if (k + 1) * 20 // len(side) > k * 20 // len(side)))
    assert len(out.read_text().splitlines()) == len(lines[0]) > 20
    assert main(arguments([str(half) for half in halves], "--from-scratch", "--out", str(tmp_path / "half"))) == 0
    for name in ("prefix4", "pieces2000"):
        one, other = (np.load(f"{folder}.aligner/{name}.npz") for folder in (out, tmp_path / "half"))
        assert one.files == other.files
        for array in one.files:
            np.testing.assert_array_equal(one[array], other[array])
    out.unlink()
    for other in (["--learn-from", "21"], ["--learn-from", "20", "--segment", "spaces"]):
        assert main(arguments(text, "--from-scratch", *other, "--out", str(out))) == 2
        assert "another run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--from-scratch"], "expected: files of source and target, and --out FILE"),
        (["--out", "OUT", "--learn-from", "3"], "--learn-from"),
        (["--from-scratch", "--out", "OUT", "--processes", "2"], "--processes"),
        (["--min-probability", "0.5", "--threshold", "0.5", "--model", "none.pt"], "exclude each other"),
        (["--from-scratch", "--out", "OUT", "--model", "e5-small"], "next: leave out --from-scratch to use an encoder"),
    ],
)
def test_conflicting_options_are_refused(text, tmp_path, capsys, more, told):
    more = [each.replace("OUT", str(tmp_path / "out")) for each in more]
    assert main(arguments(text, *more)) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "out.aligner").exists()
