"""``xalign align``: methods, averaged layers and dtypes reach the aligner, and conflicts are errors."""

import json

import pytest
import torch

from xalign_fairseq.aligner.load import load_aligner
from xalign_fairseq.aligner.neural import aligner as module
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.cli import main
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.methods import links_of_words
from xalign_fairseq.transport.sinkhorn import backend

CASES = [
    (("--method", "argmax"), Linking("argmax")),
    (("--method", "itermax", "--rounds", "4"), Linking("itermax", {"rounds": 4})),
    (("--method", "match", "--encoding", "joint"), Linking("match", encoding="joint")),
    (("--method", "softmax", "--threshold", "0.2"), Linking("softmax", {"threshold": 0.2})),
    (
        ("--method", "ot-unbalanced", "--dustbin", "0.3", "--iterations", "5", "--filter", "itermax"),
        Linking("ot-unbalanced", {"dustbin": 0.3, "iterations": 5, "filter": "itermax"}),
    ),
    (("--layer", "1,3"), Linking(layers=(1, 3))),
    (("--layer", "1-3", "--filter", "argmax"), Linking("transport", {"filter": "argmax"}, (1, 2, 3))),
    (
        ("--filter", "itermax-paper", "--order", "rows-first", "--iterations", "0", "--mu", "0.1", "--alpha", "0.5"),
        Linking(options={"filter": "itermax-paper", "order": "rows-first", "iterations": 0, "mu": 0.1, "alpha": 0.5}),
    ),
    (("--dtype", "bfloat16", "--layer", "3"), Linking(layers=(3,))),
]


@pytest.fixture
def align(tiny_checkpoint, tiny_text):
    def run(*options):
        command = ["align", "--model", tiny_checkpoint, "--pairs", tiny_text / "text.pairs", *options]
        return main([str(part) for part in command])

    return run


@pytest.mark.parametrize(("options", "linking"), CASES, ids=str)
def test_options_reach_the_aligner(align, tiny_checkpoint, tiny_text, tmp_path, options, linking):
    assert align(*options, "--format", "json", "--out", tmp_path / "out", "--quiet") == 0
    rows = [json.loads(line) for line in read_lines(tmp_path / "out")]
    sides = (list(read_lines(tiny_text / f"text.{name}")) for name in ("en", "xx"))
    dtype = "bfloat16" if "bfloat16" in options else "auto"
    expected = load_aligner(tiny_checkpoint, linking=linking, dtype=dtype).align(*sides)
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
