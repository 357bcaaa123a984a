import torch

from xalign_fairseq.cli import main
from xalign_fairseq.encoder import checkpoint


def test_out_and_in_again(tiny_checkpoint, tiny_state, tmp_path, capsys):
    assert main(["export-hf", "--model", str(tiny_checkpoint), "--out", str(tmp_path / "hf")]) == 0
    assert main(["import-hf", "--model", str(tmp_path / "hf"), "--out", str(tmp_path / "again.pt")]) == 0
    printed = capsys.readouterr().out
    assert "3 layers of 16, 2 heads" in printed and "64 positions" in printed
    assert f"xalign train DATA --init-checkpoint {tmp_path / 'again.pt'}" in printed
    assert "--encoder-embed-dim 16" in printed and "--layer-norm-eps 1e-05 --token-types 1" in printed
    state = checkpoint.read(tmp_path / "again.pt")
    assert state["model"].keys() == tiny_state["model"].keys()
    assert all(torch.equal(value, state["model"][name]) for name, value in tiny_state["model"].items())
    assert state["task_state"]["tokenizer"]["symbols"] == tiny_state["task_state"]["tokenizer"]["symbols"]
