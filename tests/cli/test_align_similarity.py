"""Which similarity the aligner takes from a checkpoint."""

import pytest
import torch

from xalign_fairseq.cli import main
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.pointer import Pointer


@pytest.fixture
def pointed(tiny_state, tmp_path):
    """A checkpoint that labelled itself by its pointer at layer 2."""
    torch.manual_seed(0)
    pointer = Pointer(16)
    for parameter in pointer.parameters():
        torch.nn.init.normal_(parameter)
    heads = {f"heads.dwa.pointer.{key}": value for key, value in pointer.state_dict().items()}
    labelling = Linking.of(Transport(), {"hidden": 1, "pointer": 2}, "pointer").state()
    state = {**tiny_state, "model": {**tiny_state["model"], **heads}}
    state["task_state"] = {**tiny_state["task_state"], "labelling": labelling}
    path = tmp_path / "pointed.pt"
    torch.save(state, path)
    return path


def align(checkpoint, text, capsys, *options):
    status = main(["align", "--model", str(checkpoint), "--pairs", str(text / "text.pairs"), *options])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_by_default_as_the_checkpoint_labelled_itself(pointed, tiny_text, capsys):
    _, default, told = align(pointed, tiny_text, capsys)
    _, pointer, _ = align(pointed, tiny_text, capsys, "--similarity", "pointer", "--layer", "2")
    _, hidden, told_hidden = align(pointed, tiny_text, capsys, "--similarity", "hidden")
    assert "layer 2 of 3, joint encoding, pointer similarity" in told
    assert "layer 1 of 3, joint encoding, hidden similarity" in told_hidden
    assert default == pointer != hidden
