"""``xalign align``: methods, averaged layers, dtypes and languages reach the aligner, and conflicts are errors."""

import pytest
import torch
from support.checkpoints import with_languages

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.cli import main
from xalign_fairseq.encoder.mappings import LanguageMaps
from xalign_fairseq.transport.labels import Transport
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.sinkhorn import backend


def test_the_sinkhorn_backend_is_selected_and_logged(nothing_decided, capsys, monkeypatch, tiny_checkpoint, tiny_text):
    def align(*options):
        command = ["align", "--model", tiny_checkpoint, "--pairs", tiny_text / "text.pairs", *options]
        return main([str(part) for part in command])

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
    seen, links = [], Transport.links

    def watching(method, hidden, *more, **scores):
        seen.append(hidden.dtype)
        return links(method, hidden, *more, **scores)

    monkeypatch.setattr(Transport, "links", watching)
    [pair] = aligner.stream([("the red house", "a big cat")])
    assert pair.links
    assert seen == [torch.float32]


@pytest.fixture(scope="module")
def save(tmp_path_factory):
    """A function that writes a checkpoint's content and returns the path."""

    def write(state):
        path = tmp_path_factory.mktemp("speaking") / "checkpoint.pt"
        torch.save(state, path)
        return path

    return write


@pytest.fixture(scope="module")
def speaking(save, tiny_state):
    """The tiny checkpoint with embeddings of en and xx."""
    return save(with_languages(tiny_state, "en", "xx"))


@pytest.fixture
def command(tiny_text, tmp_path):
    """A function that runs a command on a checkpoint and the tiny text in this process; returns the exit code."""
    texts = {
        "align": ["--pairs", tiny_text / "text.pairs", "--out", tmp_path / "links", "--quiet"],
        "layers": ["--pairs", tiny_text / "text.pairs", "--gold", tiny_text / "text.gold", "--quiet"],
        "retrieve": ["--src", tmp_path / "src", "--tgt", tmp_path / "tgt", "--quiet"],
    }
    kept = [line.split(" ||| ") for line in (tiny_text / "text.pairs").read_text().splitlines()]
    for side, name in enumerate(("src", "tgt")):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in kept if all(each.strip() for each in pair)))

    def run(name, checkpoint, *options):
        return main([str(part) for part in (name, "--model", checkpoint, *texts[name], *options)])

    return run


@pytest.mark.parametrize("name", ["align", "layers", "retrieve"])
def test_languages_are_asked_for_by_name(command, speaking, name, capsys):
    assert command(name, speaking) == 2
    told = capsys.readouterr().err
    assert "two of en, xx" in told and "--languages" in told
    assert command(name, speaking, "--languages", "en-yy") == 2
    told = capsys.readouterr().err
    assert "yy" in told and "one of en, xx" in told
    assert command(name, speaking, "--languages", "en-xx") == 0


def test_maps_name_the_languages_too(command, save, tiny_state, capsys):
    maps = LanguageMaps(["xx"], "en", 3, 16)
    heads = {f"heads.linear_mapping.{key}": value for key, value in maps.state_dict().items()}
    state = with_languages(tiny_state, "en", "xx")
    mapped = save({**state, "model": state["model"] | heads})
    options = ("--layer", 1, "--filter", "argmax", "--encoding", "separate")
    assert command("layers", mapped, "--languages", "en-xx", *options) == 0
    plain = capsys.readouterr().out.splitlines()
    assert command("layers", mapped, "--maps", "en-xx", *options) == 0
    through_identities = capsys.readouterr().out.splitlines()
    assert through_identities[:2] == plain[:2]
    assert any("|maps:en-xx|languages:en-xx|" in line for line in through_identities[2:])
    assert command("layers", mapped, "--maps", "en-xx", "--languages", "xx-en", *options) == 2
    assert "xx-en and en-xx" in capsys.readouterr().err
