"""``xalign align``: methods, averaged layers and dtypes reach the aligner, and what does not go together is told."""

import json

import pytest
import torch

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.cli import main
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.transport.methods import Cosine, Dustbin, Softmax, Transport
from xalign_fairseq.transport.sinkhorn import backend

CASES = [
    (("--method", "argmax"), {"method": Cosine()}),
    (("--method", "itermax", "--rounds", "4"), {"method": Cosine("itermax", rounds=4)}),
    (("--method", "match", "--encoding", "joint"), {"method": Cosine("match"), "encoding": "joint"}),
    (("--method", "softmax", "--threshold", "0.2"), {"method": Softmax(0.2)}),
    (
        ("--method", "ot-unbalanced", "--dustbin", "0.3", "--iterations", "5", "--filter", "itermax"),
        {"method": Dustbin(0.3, iterations=5, filter="itermax")},
    ),
    (("--layer", "1,3"), {"layer": (1, 3)}),
    (("--layer", "1-3", "--filter", "argmax"), {"layer": (1, 2, 3), "method": Transport(filter="argmax")}),
    (("--dtype", "bfloat16", "--layer", "3"), {"dtype": "bfloat16", "layer": 3}),
]


@pytest.fixture
def align(tiny_checkpoint, tiny_text):
    def run(*options):
        command = ["align", "--model", tiny_checkpoint, "--pairs", tiny_text / "text.pairs", *options]
        return main([str(part) for part in command])

    return run


@pytest.mark.parametrize(("options", "keywords"), CASES, ids=lambda case: "-".join(map(str, case)).strip("-"))
def test_options_reach_the_aligner(align, tiny_checkpoint, tiny_text, tmp_path, options, keywords):
    assert align(*options, "--format", "json", "--out", tmp_path / "out", "--quiet") == 0
    rows = [json.loads(line) for line in read_lines(tmp_path / "out")]
    sides = (list(read_lines(tiny_text / f"text.{name}")) for name in ("en", "xx"))
    expected = Aligner.from_pretrained(tiny_checkpoint, **keywords).align(*sides)
    assert len(rows) == len(expected) == 40 and any(row["links"] for row in rows)
    for row, alignment in zip(rows, expected, strict=True):
        found = {(i, j): probability for i, j, probability in row["links"]}
        assert found == pytest.approx(alignment.links, abs=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--method", "argmax", "--filter", "union"), "argmax has no such option"),
        (("--method", "softmax", "--mu", "0.5"), "--mu"),
        (("--method", "match", "--similarity", "pointer"), "pointer"),
        (("--dustbin", "0.5"), "transport has no such option"),
        (("--filter", "argmax", "--rounds", "3"), "--rounds"),
    ],
)
def test_options_that_a_method_does_not_have(align, options, message, capsys):
    assert align(*options) == 2
    out, err = capsys.readouterr()
    assert message in err and not out


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


@pytest.mark.parametrize("layers", ["3-1", "2-2", "a", "1,", "1--2", ""])
def test_layers_that_are_none(align, layers, capsys):
    with pytest.raises(SystemExit, match="2"):
        align("--layer", layers)
    assert "several with commas, or first-last" in capsys.readouterr().err


def test_bfloat16_holds_for_weights_and_states_but_not_for_links(tiny_checkpoint, monkeypatch):
    aligner = Aligner.from_pretrained(tiny_checkpoint, dtype="bfloat16", layer=(1, 2))
    assert {parameter.dtype for parameter in aligner.encoder.parameters()} == {torch.bfloat16}
    seen = []

    class Watching(Transport):
        def __call__(self, hidden, spans, *, sizes=None):
            seen.append(hidden.dtype)
            return super().__call__(hidden, spans, sizes=sizes)

    aligner.method = Watching()
    assert aligner.align(["the red house"], ["a big cat"])[0].links
    assert seen == [torch.float32]
