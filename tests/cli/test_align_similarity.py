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


def test_a_checkpoint_without_a_pointer_says_so(tiny_checkpoint, tiny_text, capsys):
    status, out, err = align(tiny_checkpoint, tiny_text, capsys, "--similarity", "pointer")
    assert status == 2 and not out and "no pointer" in err and "--similarity hidden" in err


def test_a_pointer_is_compared_at_its_own_layer_alone(pointed, tiny_text, printed_json):
    gold = ["--pairs", str(tiny_text / "text.pairs"), "--gold", str(tiny_text / "text.gold")]
    rows = printed_json("layers", "--model", pointed, *gold)["rows"]
    assert {row["layer"] for row in rows} == {2}
    assert all("|similarity:pointer|" in row["signature"] for row in rows)
