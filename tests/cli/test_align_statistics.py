"""``xalign align --statistics``: an encoder combined with an aligner of bitext alone."""

import shutil
from pathlib import Path

import pytest
from support.text import write_bitext

from xalign_fairseq.aligner import kept_scores
from xalign_fairseq.aligner import run as running
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.cli import main
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.links.pharaoh import read_links


@pytest.fixture
def text(tmp_path):
    return write_bitext(tmp_path)


@pytest.fixture
def align(text, tiny_checkpoint):
    """Run ``xalign align`` on the text; return the exit code."""

    def run(*options, model=tiny_checkpoint):
        return main([*("align", "--model", str(model), "--src", text[0], "--tgt", text[1]), *map(str, options)])

    return run


@pytest.fixture
def learned(text, tmp_path):
    """The folder of an aligner of the text."""
    out = tmp_path / "own"
    assert main(["align", "--from-scratch", "--src", text[0], "--tgt", text[1], "--out", str(out)]) == 0
    return f"{out}.aligner"


def test_without_a_folder_they_are_learned_from_the_text(align, learned, tmp_path, capsys):
    assert align("--statistics", "--out", tmp_path / "links") == 0
    told = capsys.readouterr().err
    assert "grow" in told and "40% of its scores and 60% of statistics that it guides (prefix4" in told
    folder = f"{tmp_path}/links.aligner"
    assert read_json(Path(folder, "begun.json"))["method"] == "grow"
    assert align("--statistics", folder, "--out", tmp_path / "two", "--processes", "2") == 0
    links = (tmp_path / "links").read_text()
    assert (tmp_path / "two").read_text() == links
    assert align("--statistics", tmp_path / "links", "--out", tmp_path / "three") == 2
    assert f"next: use --statistics {folder}" in capsys.readouterr().err
    # The encoder is untrained; the text is translated word by word.
    assert align("--method", "grow", "--out", tmp_path / "alone") == 0
    assert align("--statistics", learned, "--out", tmp_path / "unguided") == 0
    assert align("--out", tmp_path / "guided alone", model=folder) == 0
    right = {
        name: sum(i == j for each in read_links(tmp_path / name) for i, j in each)
        for name in ("links", "alone", "unguided", "guided alone")
    }
    assert min(right["links"], right["unguided"], right["guided alone"]) > 1.2 * right["alone"]


def test_the_encoder_reads_the_text_once(align, tmp_path, monkeypatch):
    read = []
    stream = Aligner.stream

    def counted(self, pairs, *more, **named):
        for each in stream(self, pairs, *more, **named):
            read.append(each.src)
            yield each

    monkeypatch.setattr(Aligner, "stream", counted)
    monkeypatch.setattr(kept_scores, "AT_ONCE", 20)

    with monkeypatch.context() as patch:
        patch.setattr(running, "learn_models", broken_off)
        with pytest.raises(MemoryError):
            align("--statistics", "--out", tmp_path / "links")
    assert len(read) == 48
    assert align("--statistics", "--out", tmp_path / "links", "--plot", tmp_path / "pair.svg") == 0
    assert len(read) == 48
    assert len(list((tmp_path / "links.aligner").glob("scores-*.npz"))) == 3


def broken_off(*_):
    raise MemoryError


def test_statistics_guided_by_another_encoder_are_reported(align, learned, tiny_checkpoint, tmp_path, capsys):
    assert align("--statistics", "--out", tmp_path / "links") == 0
    folder = f"{tmp_path}/links.aligner"
    other = shutil.copytree(tiny_checkpoint.parent, tmp_path / "model") / tiny_checkpoint.name
    told = {}
    for name, statistics, model in (
        ("same", folder, tiny_checkpoint),
        ("unguided", learned, other),
        ("other", folder, other),
    ):
        capsys.readouterr()
        assert align("--statistics", statistics, "--out", tmp_path / name, model=model) == 0
        told[name] = [line for line in capsys.readouterr().err.splitlines() if "guided by" in line]
    assert not told["same"] and not told["unguided"]
    [line] = told["other"]
    assert folder in line and f"guided by {tiny_checkpoint}," in line and f"read with {other}," in line


@pytest.mark.parametrize(
    ("options", "where"),
    [
        (["--from-scratch"], "--from-scratch"),
        (["--method", "argmax"], "--method"),
        (["--growth", "0"], "--growth"),
        (["--out", "-"], "--statistics"),
    ],
)
def test_conflicting_options_are_refused_before_learning(align, tmp_path, capsys, options, where):
    assert align("--statistics", "--out", tmp_path / "links", *options) == 2
    told = capsys.readouterr().err
    assert f"where: {where}" in told
    assert "learned" not in told
    assert not list(tmp_path.glob("links*"))
