"""Commands with a model whose hidden states are not finite: an error that names it; a single such pair is reported."""

import shutil
from pathlib import Path

import pytest
import torch

from xalign_fairseq.cli import main
from xalign_fairseq.encoder.pretrained.reading import read_tokenizer

WORDS = "encoder.sentence_encoder.embed_tokens.weight"


@pytest.fixture
def damaged(tiny_state, tmp_path):
    """Write the checkpoint with one non-finite value."""

    def write(name, value, row=0):
        state = {**tiny_state, "model": {**tiny_state["model"]}}
        state["model"][name] = state["model"][name].clone()
        state["model"][name][row] = value
        torch.save(state, tmp_path / "model.pt")
        return str(tmp_path / "model.pt")

    return write


def commands(folder, model):
    sides, on_cpu = ["--src", f"{folder}/text.en", "--tgt", f"{folder}/text.xx"], ["--device", "cpu"]
    return {
        "align": ["align", *sides, "--model", model],
        "processes": ["align", *sides, "--model", model, "--processes", "2", *on_cpu],
        "layers": ["layers", *sides, "--gold", f"{folder}/text.gold", "--model", model],
        "retrieve": ["retrieve", *("--src", f"{folder}/dog", "--tgt", f"{folder}/dog"), "--model", model, *on_cpu],
        "bench": ["bench", "--data", f"{folder}/gold", "--model", model, *on_cpu],
        "statistics": ["align", *sides, "--model", model, "--statistics", "--out", f"{model}.links"],
    }


@pytest.mark.parametrize("command", ["align", "processes", "layers", "retrieve", "bench", "statistics"])
def test_a_damaged_model(damaged, tiny_text, capsys, command):
    layer = 1 if command == "bench" else 2
    model = damaged(
        f"encoder.sentence_encoder.layers.{layer - 1}.fc1.weight", torch.inf if command == "layers" else torch.nan
    )
    # align and bench read the model's labelling layer, the first
    (tiny_text / "dog").write_text("the dog\nthe house\n")
    (tiny_text / "gold").mkdir(exist_ok=True)
    for end in ("en", "xx", "gold"):
        shutil.copy(tiny_text / f"text.{end}", tiny_text / f"gold/en-xx.{end}")
    extra = {"align": ["--layer", "2"], "processes": ["--layer", "2"], "statistics": ["--layer", "2"]}.get(command, [])
    assert main([*commands(tiny_text, model)[command], *extra]) == 2
    told = capsys.readouterr()
    assert "hidden states are not finite" in told.err and model in told.err and f"layer {layer}" in told.err
    assert told.out == "" and not Path(f"{model}.links").exists()


def test_one_word_that_overflows(damaged, tiny_text, tiny_checkpoint, capsys):
    tokenizer = read_tokenizer(tiny_checkpoint)
    sides = [(tiny_text / name).read_text().splitlines() for name in ("text.en", "text.xx")]
    tokens = [{token for line in pair for token in tokenizer.encode(line)} for pair in zip(*sides, strict=True)]
    token = tokenizer.encode(sides[0][0])[0]
    bad = [row for row, found in enumerate(tokens) if token in found and all(side[row] for side in sides)]
    assert main([*commands(tiny_text, damaged(WORDS, torch.inf, row=token))["align"], "--dtype", "float32"]) == 0
    told = capsys.readouterr()
    assert f"{len(bad)} with hidden states that are not finite" in told.err
    assert told.err.count("hidden states of a pair are not finite") == len(bad) and sides[0][bad[0]][:20] in told.err
    written = told.out.splitlines()
    assert len(written) == len(tokens) > len(bad) and not any(written[row] for row in bad)
