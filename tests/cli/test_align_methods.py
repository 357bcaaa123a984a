"""``xalign align``: methods, averaged layers and dtypes reach the aligner, and conflicts are errors."""

import pytest
import torch

from xalign_fairseq.aligner.neural import aligner as module
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.cli import main
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.methods import links_of_words
from xalign_fairseq.transport.sinkhorn import backend


@pytest.fixture
def align(tiny_checkpoint, tiny_text):
    def run(*options):
        command = ["align", "--model", tiny_checkpoint, "--pairs", tiny_text / "text.pairs", *options]
        return main([str(part) for part in command])

    return run


def test_the_sinkhorn_backend_is_selected_and_told(align, nothing_decided, capsys, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    nothing_decided()
    with backend.using("auto"):
        assert align("--sinkhorn-backend", "cuda") == 2
        assert "no GPU" in capsys.readouterr().err
        assert align("--sinkhorn-backend", "reference") == 0
        assert backend.selected() == "reference"
        assert "Sinkhorn on" not in capsys.readouterr().err
        assert align("--sinkhorn-backend", "auto", "--quiet") == 0
        assert not capsys.readouterr().err
        nothing_decided()
        assert align("--sinkhorn-backend", "auto") == 0
        assert "Sinkhorn on cpu, float32: " in capsys.readouterr().err


def test_bfloat16_holds_for_weights_and_states_but_not_for_links(tiny_checkpoint, monkeypatch):
    aligner = Aligner.from_pretrained(tiny_checkpoint, dtype="bfloat16", linking=Linking(layers=(1, 2)))
    assert {parameter.dtype for parameter in aligner.encoder.parameters()} == {torch.bfloat16}
    seen = []

    def watching(method, hidden, *more):
        seen.append(hidden.dtype)
        return links_of_words(method, hidden, *more)

    monkeypatch.setattr(module, "links_of_words", watching)
    [pair] = aligner.stream([("the red house", "a big cat")])
    assert pair.links
    assert seen == [torch.float32]
