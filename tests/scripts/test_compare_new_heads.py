"""Heads that are compared begin alike but for themselves, and learn from the same batches."""

import json

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.masked_lm import HEAD, new_head

WEIGHTS = {
    "encoder.sentence_encoder.embed_tokens.weight": torch.rand(9, 4),
    **{HEAD + name: value for name, value in new_head(torch.rand(9, 4), [-1.0, -2.0, -3.0, -4.0]).items()},
}


@pytest.fixture
def compare(script):
    return script("compare_new_heads")


def test_heads_differ_in_what_they_are_named_after(compare):
    made, plain, random = (compare.with_head(WEIGHTS, name) for name in compare.HEADS)
    assert made[HEAD + "bias"].any() and not plain[HEAD + "bias"].any() and not random[HEAD + "bias"].any()
    assert torch.equal(made[HEAD + "dense.weight"], plain[HEAD + "dense.weight"])
    assert not torch.equal(random[HEAD + "dense.weight"], made[HEAD + "dense.weight"])
    assert all(torch.equal(random[name], made[name]) for name in made if not name.startswith(HEAD))
    made["encoder.sentence_encoder.embed_tokens.weight"].zero_()
    assert WEIGHTS["encoder.sentence_encoder.embed_tokens.weight"].any()  # nothing is shared


def test_a_comparison_from_end_to_end(compare, transfer_encoder, tmp_path, capsys):
    text = tmp_path / "text"
    text.write_text("".join(f"the {word} house sees a dog\n" for word in ("red", "old", "big", "new") * 10))
    options = [
        "--model",
        str(transfer_encoder),
        "--text",
        str(text),
        "--updates",
        "6",
        "--sentences",
        "2",
        "--lr",
        "0.01",
    ]
    for name in ("one", "two"):
        compare.main([*options, "--out", str(tmp_path / f"new/{name}.json")])
    one, two = (json.loads((tmp_path / f"new/{name}.json").read_text()) for name in ("one", "two"))
    assert one["losses"] == two["losses"] and one["losses"].keys() == set(compare.HEADS)
    for losses in one["losses"].values():
        assert list(losses) == ["0", "1", "3", "6"] and losses["6"] < losses["0"]
    assert one["command"].startswith("scripts/compare_new_heads.py --model ") and one["seed"] == 1
    assert capsys.readouterr().out.count("random {") == 2


def test_a_text_that_is_not_there(compare, transfer_encoder, tmp_path):
    with pytest.raises(XalignError, match=r"nothing\.txt"):
        compare.main(["--model", str(transfer_encoder), "--text", str(tmp_path / "nothing.txt"), "--out", "x.json"])
