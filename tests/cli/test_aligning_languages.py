"""Commands that read text by an encoder with language embeddings: ``--languages``, and what is said without it."""

import json

import pytest
import torch
from support.checkpoints import with_languages

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.cli import main
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.mappings import LanguageMaps
from xalign_fairseq.encoder.sentence_vectors import sentence_vectors
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.evaluation.retrieval import by_cosine
from xalign_fairseq.links.pharaoh import read_links


@pytest.fixture(scope="module")
def save(tmp_path_factory):
    """The function that writes a checkpoint's content, and gives the path."""

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
    """The function that runs a command on a checkpoint and the tiny text, in this process; the exit code."""
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


def test_align_reads_each_side_in_its_language(command, speaking, tiny_text, tmp_path):
    found = {}
    for languages in ("en-xx", "xx-en"):
        assert command("align", speaking, "--languages", languages) == 0
        found[languages] = read_links(tmp_path / "links")
        aligner = Aligner.from_pretrained(speaking, languages=tuple(languages.split("-")))
        sides = ((tiny_text / f"text.{side}").read_text().splitlines() for side in ("en", "xx"))
        assert [set(pair.links) for pair in aligner.align(*sides)] == [set(links) for links in found[languages]]
    assert found["en-xx"] != found["xx-en"]


def test_retrieve_reads_each_side_in_its_language(command, speaking, tmp_path, capsys):
    state = checkpoint.read(speaking)
    encoder, _ = checkpoint.load_encoder(state)
    tokenizer = load_tokenizer(state, encoder.config.vocab_size)
    for languages, rows in (("en-xx", (0, 1)), ("xx-en", (1, 0))):
        assert command("retrieve", speaking, "--languages", languages, "--json", "--layer", 2) == 0
        src, tgt = (
            sentence_vectors(encoder, tokenizer, (tmp_path / name).read_text().splitlines(), 2, language_row=row)
            for name, row in zip(("src", "tgt"), rows, strict=True)
        )
        right = (by_cosine(src, tgt) == torch.arange(len(src))).float().mean()
        assert json.loads(capsys.readouterr().out)["scores"][0]["accuracy"] == pytest.approx(float(right))


def test_embeddings_of_zero_are_those_of_an_encoder_without_any(command, save, tiny_state, tiny_checkpoint, tmp_path):
    assert command("align", tiny_checkpoint) == 0
    plain = (tmp_path / "links").read_text()
    assert command("align", save(with_languages(tiny_state, "en", "xx", scale=0.0)), "--languages", "en-xx") == 0
    assert (tmp_path / "links").read_text() == plain


def test_signatures_name_the_languages(command, speaking, tiny_checkpoint, capsys):
    assert command("layers", speaking, "--languages", "en-xx", "--layer", 1, "--filter", "argmax") == 0
    assert "|layer:1|languages:en-xx|similarity:hidden|" in capsys.readouterr().out
    assert command("retrieve", speaking, "--languages", "xx-en") == 0
    assert "|maps:none|languages:xx-en|" in capsys.readouterr().out
    for name in ("layers", "retrieve"):
        assert command(name, tiny_checkpoint, "--languages", "en-xx") == 0
        assert "|languages:" not in capsys.readouterr().out


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


def test_input_embeddings_are_of_no_language(speaking, tiny_checkpoint, tmp_path, capsys):
    for name, line in (("src", "red house"), ("tgt", "big tree"), ("links", "0-0 1-1")):
        (tmp_path / name).write_text(f"{line}\n")
    files = [f"--{name}={tmp_path / name}" for name in ("src", "tgt", "links")]
    assert main(["embeddings", "--model", str(speaking), str(tiny_checkpoint), *files]) == 0
    _, first, second = capsys.readouterr().out.splitlines()
    assert first.split(": ")[1] == second.split(": ")[1]


@pytest.mark.usefixtures("no_transformers")
def test_doctor_tells_the_languages(speaking, tiny_checkpoint, capsys):
    main(["doctor", str(speaking)])
    assert "language embeddings en, xx" in capsys.readouterr().out
    main(["doctor", str(tiny_checkpoint)])
    assert "language embeddings" not in capsys.readouterr().out
