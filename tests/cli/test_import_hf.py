"""``xalign import-hf``: a folder from ``xalign export-hf`` becomes a checkpoint or a folder for fairseq."""

import pytest
import torch

from xalign_fairseq.cli import main
from xalign_fairseq.encoder import checkpoint


@pytest.fixture
def exported(tiny_checkpoint, tmp_path, capsys):
    assert main(["export-hf", "--model", str(tiny_checkpoint), "--out", str(tmp_path / "hf")]) == 0
    capsys.readouterr()
    return tmp_path / "hf"


def test_out_and_in_again(exported, tiny_state, tmp_path, capsys):
    assert main(["import-hf", "--model", str(exported), "--out", str(tmp_path / "again.pt")]) == 0
    printed = capsys.readouterr().out
    assert "3 layers of 16, 2 heads" in printed and "64 positions" in printed
    assert f"xalign train DATA --init-checkpoint {tmp_path / 'again.pt'}" in printed
    assert "--encoder-embed-dim 16" in printed and "--layer-norm-eps 1e-05 --token-types 1" in printed
    state = checkpoint.read(tmp_path / "again.pt")
    assert state["model"].keys() == tiny_state["model"].keys()
    assert all(torch.equal(value, state["model"][name]) for name, value in tiny_state["model"].items())
    assert state["task_state"]["tokenizer"]["symbols"] == tiny_state["task_state"]["tokenizer"]["symbols"]


@pytest.mark.parametrize("out", ["out.pt", "out"])
def test_nothing_is_overwritten_silently(exported, tmp_path, capsys, out):
    command = ["import-hf", "--model", str(exported), "--out", str(tmp_path / out)]
    assert main(command) == 0
    part = next((tmp_path / out).iterdir()) if (tmp_path / out).is_dir() else tmp_path / out
    part.write_bytes(b"mine")
    assert main(command) == 2
    assert "exists already" in capsys.readouterr().err and part.read_bytes() == b"mine"
    assert main([*command, "--overwrite"]) == 0
    assert part.read_bytes() != b"mine"
