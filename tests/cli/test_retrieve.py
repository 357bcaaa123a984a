import pytest
import torch

from xalign_fairseq.cli import main
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.evaluation.sentence_retrieval import RetrievalOptions, translation_accuracy

SRC = ["the red house is big", "a cat sees dogs", "we have seven trees", "they sing", "run home now", "old songs"]
TGT = ["big the house red is", "dogs a cat sees", "trees near river", "they sing old songs", "now run", "house"]


@pytest.fixture
def options(tiny_checkpoint, tmp_path):
    """Run the command on a bitext, with a model that has linear maps."""
    for name, lines in (("src", SRC), ("tgt", TGT)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    state = checkpoint.read(tiny_checkpoint)
    maps = {"heads.linear_mapping.maps.de": torch.randn(4, 16, 16), "heads.linear_mapping.pivot.en": torch.zeros(1)}
    torch.save({**state, "model": {**state["model"], **maps}}, tmp_path / "mapped.pt")
    return ["retrieve", "--model", f"{tmp_path}/mapped.pt", "--src", f"{tmp_path}/src", "--tgt", f"{tmp_path}/tgt"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], {}),
        (["--layer", "-2", "--pooling", "cls"], {"layer": -2, "pooling": "cls"}),
        (
            ["--maps", "de-en", "--bootstrap", "9", "--seed", "3", "--batch-tokens", "20"],
            {"maps": True, "languages": ("de", "en"), "bootstrap": 9, "seed": 3, "batch_tokens": 20},
        ),
    ],
)
def test_options_are_the_librarys(printed_json, options, given, expected):
    assert printed_json(*options, *given) == translation_accuracy(options[2], SRC, TGT, RetrievalOptions(**expected))


def test_the_table(options, capsys):
    assert main(options) == 0
    printed = capsys.readouterr()
    head, *rows, how = printed.out.splitlines()
    assert head.split()[:3] == ["direction", "by", "accuracy"] and len(rows) == 4
    assert rows[0].startswith("src to tgt") and rows[3].startswith("tgt to src    margin")
    assert how.startswith("sentences:6|layer:2|pooling:mean|maps:none|version:")
    assert "has linear maps, which are not used" in printed.err


@pytest.mark.parametrize(
    ("text", "given", "message"),
    [
        ("\n".join([*SRC[:2], " ", *SRC[3:]]), [], "src, line 3"),
        ("a cat", [], "1 and 6 lines"),
        (None, ["--seed", "-1"], "seed -1"),
    ],
)
def test_bad_input(options, tmp_path, capsys, text, given, message):
    if text is not None:
        (tmp_path / "src").write_text(f"{text}\n")
    assert main([*options, *given]) == 2
    assert message in capsys.readouterr().err
