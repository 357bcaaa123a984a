"""By default, the aligner's commands link like the model's own labelling in training."""

import pytest
import torch

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.cli import main
from xalign_fairseq.transport import resolving
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.methods import Transport

OWN = Transport(mu=0.4, filter="argmax")


@pytest.fixture
def align(tiny_text, capsys):
    """Run ``xalign align``; return exit code, output and messages."""

    def run(checkpoint, *options):
        status = main(["align", "--model", str(checkpoint), "--pairs", str(tiny_text / "text.pairs"), *options])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def test_method_options_and_layer_are_the_models_own(align, tiny_state, tmp_path):
    path = tmp_path / f"{type(OWN).__name__}.pt"
    task_state = {
        **tiny_state["task_state"],
        "labelling": Linking.of(OWN, {"hidden": 2, "pointer": 3}, encoding="").state(),
    }
    torch.save({**tiny_state, "task_state": task_state}, path)
    given = ("--method", "transport", "--mu", "0.4", "--filter", "argmax", "--layer", "2")
    status, links, told = align(path)
    assert status == 0 and "layer 2 of 3" in told and "transport-argmax (stored in the model)" in told
    assert links == align(path, *given)[1] != align(path, *given[:-1], "1")[1]


def test_a_family_s_defaults_are_those_of_a_model_that_never_labelled(tiny_state, tmp_path, align, monkeypatch):
    softmax = Linking("softmax", {"threshold": 0.2}, (4, 8), encoding="separate")
    argmax = Linking("argmax", layers=(12,), encoding="joint")
    monkeypatch.setattr(resolving, "LINKINGS_OF_FAMILY", {"known": (softmax, argmax)})
    path = tmp_path / "known.pt"
    known = {"tokenizer": tiny_state["task_state"]["tokenizer"], "family": "known"}
    torch.save({**tiny_state, "task_state": known}, path)
    said = ("--method", "softmax", "--threshold", "0.2", "--layer", "1,2", "--encoding", "separate")
    status, links, told = align(path)
    assert status == 0 and links == align(path, *said)[1] != align(path, *said[:-1], "joint")[1]
    assert "layer 1,2 of 3, separate encoding, hidden similarity, softmax, threshold 0.2 (defaults of known)" in told
    aligner = Aligner.from_pretrained(path, linking=Linking("argmax"))
    assert aligner.linking == Linking("argmax", {}, (3,), "hidden", "joint") and aligner.linking.origin == "known"
    assert "|layer:3|similarity:hidden|method:argmax|" in aligner.signature()
    labelling = Linking("transport", layers=(2,), similarity="hidden").state()
    torch.save({**tiny_state, "task_state": {**known, "labelling": labelling}}, path)
    assert "layer 2 of 3, joint encoding, hidden similarity, transport-itermax (stored in the model" in align(path)[2]
