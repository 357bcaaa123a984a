import numpy as np
import pytest
import torch

from xalign_fairseq.cli import main
from xalign_fairseq.data import lexicon as lexicons
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.lexicon import HELD_OUT, TRAINED, Lexicon
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.evaluation.lexicon_alignment import lexicon_scores
from xalign_fairseq.evaluation.signature import parse_signature

EMBEDDINGS = "encoder.sentence_encoder.embed_tokens.weight"


@pytest.fixture
def lexicon():
    ones = np.ones(16, dtype=np.int64)
    part = np.array([TRAINED] * 10 + [HELD_OUT] * 6)
    return Lexicon("en", "xx", np.arange(4, 20), ones, np.arange(20, 36), ones, part)


@pytest.fixture
def aligned(tiny_state, lexicon, tmp_path):
    """A checkpoint with a lexicon, whose trained words have their translations' embeddings."""
    state = {**tiny_state, "model": dict(tiny_state["model"])}
    table = state["model"][EMBEDDINGS].clone()
    table[20:30] = table[4:14]
    for key in (EMBEDDINGS, "encoder.lm_head.weight"):  # tied
        state["model"][key] = table
    state["task_state"] = {**tiny_state["task_state"], "lexicons": [lexicon.state()]}
    torch.save(state, tmp_path / "aligned.pt")
    return tmp_path / "aligned.pt"


def score(*options):
    return main(["alignment-score", "--model", *map(str, options)])


def test_parts_of_a_checkpoint_s_own_lexicon(aligned, lexicon, printed_json, capsys):
    rows = printed_json("alignment-score", "--model", aligned)
    expected = lexicon_scores(torch.load(aligned, weights_only=False)["model"][EMBEDDINGS], lexicon)
    assert [(row["part"], row["score"], row["low"], row["high"], row["words"]) for row in rows] == [
        (each.part, each.score, each.low, each.high, each.words) for each in expected
    ]
    assert [row["part"] for row in rows] == ["trained", "held out", "all"]
    assert rows[0]["score"] == 1.0 and rows[1]["score"] < 1.0
    signature = parse_signature(rows[1]["signature"])
    assert signature["pair"] == "en-xx" and signature["part"] == "held out"
    assert signature["data"] == f"sha256-{lexicon.digest[:12]}"
    assert score(aligned) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == f"{aligned} en-xx: trained 100.0 [100.0, 100.0], 10 words among 16"
    assert len(printed) == 3


def test_bad_input(tiny_checkpoint, aligned, tmp_path, capsys, tiny_state, lexicon):
    folder = tmp_path / "data-bin"
    folder.mkdir()
    Dictionary(tiny_state["task_state"]["tokenizer"]["symbols"][4:]).save(folder / "dict.txt")
    lexicons.write(DataBin(folder), lexicon, {})
    assert score(tiny_checkpoint) == 2
    assert "--data DATA_BIN" in capsys.readouterr().err
    assert score(aligned, "--samples", 0) == 2
    assert score("absent.pt", "--seed", -1) == 2 and "seed -1" in capsys.readouterr().err  # before the work
    for path in folder.glob("lexicon.*"):
        path.unlink()
    assert score(aligned, "--data", folder) == 2
    assert "xalign lexicon" in capsys.readouterr().err
    Dictionary(Dictionary.load(folder / "dict.txt").symbols[4:][::-1]).save(folder / "dict.txt")
    assert score(aligned, "--data", folder) == 2
    assert "does not fit the checkpoint" in capsys.readouterr().err
