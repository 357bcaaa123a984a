import json

import pytest

from xalign_fairseq.cli import main


@pytest.fixture
def text(tmp_path):
    (tmp_path / "src").write_text("the red house\nhouse now\n\nred red\n")
    (tmp_path / "tgt").write_text("big tree\ntree\nold\ndogs old\n")
    (tmp_path / "links").write_text("0-0 1p1 2-1\n0-0\n\n0p0 1p0\n")
    return tmp_path


@pytest.fixture
def embeddings(text, tiny_checkpoint):
    """Run ``xalign embeddings`` in this process; return the exit code."""

    def run(*options, checkpoints=(tiny_checkpoint,)):
        given = ["--src", text / "src", "--tgt", text / "tgt", "--links", text / "links"]
        return main([str(part) for part in ("embeddings", "--model", *checkpoints, *given, *options)])

    return run


def test_pairs_and_cosines(embeddings, text, tiny_checkpoint, capsys):
    both = (tiny_checkpoint, f"again={tiny_checkpoint}")
    assert embeddings("--json", checkpoints=both) == 0
    found = json.loads(capsys.readouterr().out)
    # A line's sure links, or its possible links if it has no sure ones.
    assert [(each["src"], each["tgt"], each["count"]) for each in found["pairs"]] == [
        ("house", "tree", 2),
        ("red", "dogs", 2),
        ("the", "big", 1),
    ]
    first, second = found["checkpoints"]
    assert first["checkpoint"] == str(tiny_checkpoint) and first["cosine"] < 0.99
    assert second == {**first, "checkpoint": "again"}
    assert found["files"].keys() == {"src", "tgt", "links"}
    assert embeddings(checkpoints=both) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "3 pairs: house-tree (2), red-dogs (2), the-big (1)"
    cosines = f"mean cosine of linked words {first['cosine']:.3f}, of other pairs {first['others']:.3f}"
    assert printed[1:] == [f"{tiny_checkpoint}: {cosines}", f"again: {cosines}"]
    (text / "ignored").write_text("Tree\nthe\n")
    assert embeddings("--leave-out", text / "ignored") == 0
    assert capsys.readouterr().out.startswith("1 pair: red-dogs (2)\n")


def test_a_panel_for_each_checkpoint(embeddings, tiny_checkpoint, monkeypatch):
    pytest.importorskip("matplotlib")
    figures = []
    monkeypatch.setattr("xalign_fairseq.evaluation.plots.embeddings.save", lambda figure, path: figures.append(figure))
    assert embeddings("--plot", "unused.png", checkpoints=(tiny_checkpoint, f"again={tiny_checkpoint}")) == 0
    assert [len(axes.lines) for axes in figures[0].axes] == [3, 3]
    first, second = figures[0].axes
    assert second.get_title().startswith("again\nmean cosine of linked words ")
    pytest.importorskip("sklearn")
    assert embeddings("--plot", "unused.png", "--projection", "t-SNE", checkpoints=(tiny_checkpoint,)) == 0
    assert ["t-SNE" in axes.get_title() for axes in (first, second, *figures[1].axes)] == [False, False, True]
