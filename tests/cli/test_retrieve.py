"""``xalign retrieve``: the figures of the library, its options, and input that is refused."""

import json

import pytest
import torch

from xalign_fairseq.cli import main
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.sentence_vectors import sentence_vectors
from xalign_fairseq.evaluation import retrieval

SRC = ["the red house is big", "a cat sees dogs", "we have seven trees", "they sing", "run home now", "old songs"]
TGT = ["big the house red is", "dogs a cat sees", "trees near river", "they sing old songs", "now run", "house"]


@pytest.fixture
def bitext(tmp_path):
    for name, lines in (("src", SRC), ("tgt", TGT)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


@pytest.fixture
def retrieve(tiny_checkpoint, bitext):
    """Run ``xalign retrieve`` in this process; the exit code."""

    def run(*options):
        files = ["--src", bitext / "src", "--tgt", bitext / "tgt"]
        return main([str(part) for part in ("retrieve", "--model", tiny_checkpoint, *files, *options)])

    return run


@pytest.fixture
def vectors(tiny_checkpoint):
    from xalign_fairseq.encoder.vocabulary import load_tokenizer

    state = checkpoint.read(tiny_checkpoint)
    encoder, _ = checkpoint.load_encoder(state)
    tokenizer = load_tokenizer(state, encoder.config.vocab_size)
    return lambda layer, pooling: [sentence_vectors(encoder, tokenizer, s, layer, pooling=pooling) for s in (SRC, TGT)]


@pytest.mark.parametrize(("options", "layer", "pooling"), [
    ([], 2, "mean"), (["--layer", 1], 1, "mean"), (["--pooling", "cls"], 3, "cls"),
    (["--pooling", "cls", "--layer", -2], 2, "cls"),
])  # fmt: skip
def test_the_figures_are_those_of_the_library(retrieve, vectors, capsys, options, layer, pooling):
    assert retrieve("--json", *options) == 0
    result = json.loads(capsys.readouterr().out)
    src, tgt = vectors(layer, pooling)
    lines = torch.arange(len(SRC))
    expected = {}
    for by, search in (("cosine", retrieval.by_cosine), ("margin", retrieval.by_margin)):
        expected["src to tgt", by] = (search(src, tgt) == lines).float().mean().item()
        expected["tgt to src", by] = (search(tgt, src) == lines).float().mean().item()
    assert {(row["direction"], row["by"]): pytest.approx(row["accuracy"]) for row in result["scores"]} == expected
    assert len(set(expected.values())) > 1  # directions or measures can be told apart
    for row in result["scores"]:
        low, high = row["interval"]
        assert 0 <= low <= row["accuracy"] <= high <= 1
    assert (result["layer"], result["pooling"]) == (layer, pooling)


def test_the_table(retrieve, capsys):
    assert retrieve("--quiet") == 0
    head, *rows, how = capsys.readouterr().out.splitlines()
    assert head.split()[:3] == ["direction", "by", "accuracy"] and len(rows) == 4
    assert rows[0].startswith("src to tgt") and rows[3].startswith("tgt to src    margin")
    assert how.startswith("sentences:6|layer:2|pooling:mean|maps:none|version:")


def test_lines_that_do_not_fit(retrieve, bitext, capsys):
    (bitext / "src").write_text("\n".join([*SRC[:2], " ", *SRC[3:]]) + "\n")
    assert retrieve() == 2
    assert "src, line 3" in capsys.readouterr().err
    (bitext / "src").write_text("a cat\n")
    assert retrieve() == 2
    assert "1 and 6 lines" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [(["--layer", "9"], "no such layer"), (["--bootstrap", "0"], "bootstrap"), (["--seed", "-1"], "seed -1")],
)
def test_options_without_meaning(retrieve, capsys, options, words):
    assert retrieve(*options) == 2
    assert words in capsys.readouterr().err


def test_linear_maps_are_used_where_languages_are_named_and_told_where_not(tiny_checkpoint, vectors, bitext, capsys):
    state = checkpoint.read(tiny_checkpoint)
    src, tgt = vectors(2, "mean")
    maps = torch.eye(src.shape[1]).repeat(4, 1, 1)
    maps[2] = torch.linalg.pinv(src) @ tgt.roll(1, 0)
    state["model"] |= {"heads.linear_mapping.maps.de": maps, "heads.linear_mapping.pivot.en": torch.zeros(1)}
    torch.save(state, bitext / "mapped.pt")
    command = [
        "retrieve",
        "--model",
        bitext / "mapped.pt",
        "--src",
        bitext / "src",
        "--tgt",
        bitext / "tgt",
        "--json",
    ]

    def run(*options):
        code = main([str(part) for part in (*command, *options)])
        return code, capsys.readouterr()

    code, plain = run()
    assert code == 0 and "has linear maps, which are not used" in plain.err
    code, found = run("--maps", "de-en")
    assert code == 0 and not found.err
    result = json.loads(found.out)
    assert result["maps"] == "de-en" and json.loads(plain.out)["maps"] == "none"
    # The map leads every sentence to the translation of the line before.
    assert result["scores"][0]["accuracy"] == 0 < json.loads(plain.out)["scores"][0]["accuracy"]
    code, refused = run("--maps", "fr-en")
    assert code == 2 and "no linear map" in refused.err and "de" in refused.err
