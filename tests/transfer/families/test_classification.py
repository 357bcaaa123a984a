import numpy as np
import pytest
import torch
from support.small import Letters

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.examples import PairExample
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.transfer.families.classification import Classification
from xalign_fairseq.transfer.family import Limits

LABELS = ("contradiction", "entailment", "neutral")


def family(tokens=32, separators=2, overlap=0):
    return Classification(Letters(), LABELS, Limits(tokens, overlap, separators), {})


def pair(first, second, label="neutral"):
    return PairExample("1", "en", first, second, label)


def spell(encoded):
    return [["<s>", "<pad>", "</s>", "<unk>", *"abcdefgh"][token] for token in encoded]


@pytest.mark.parametrize("separators", [1, 2])
def test_a_pair_is_one_sequence(separators):
    encoded = family(separators=separators).encode(pair("ab", "cde"))
    between = ["</s>"] * separators
    assert spell(encoded.windows[0].tolist()) == ["<s>", "a", "b", *between, "c", "d", "e", "</s>"]
    assert encoded.arrays["label"] == 2 and encoded.cut == 0


def test_cutting_equals_cutting_one_by_one():
    for first in range(12):
        for second in range(12):
            for room in range(2, 16):
                a, b = first, second
                while a + b > room:
                    a, b = (a - 1, b) if a > b else (a, b - 1)
                encoded = family(tokens=room + 3, separators=1).encode(pair("a" * first, "b" * second))
                tokens = spell(encoded.windows[0].tolist())
                assert tokens[encoded.second :][:1] in (["b"], ["</s>"])
                kept = tokens.count("a"), tokens.count("b")
                assert sum(kept) == a + b
                assert abs(kept[0] - a) <= 1  # either of two equal sides may give the odd token


def test_a_pair_is_not_cut_into_windows_so_that_no_overlap_is_too_large():
    family(tokens=6, overlap=32)
    with pytest.raises(XalignError, match=r"(?s)room for two texts.*5 tokens, 2 separators.*at least 6"):
        family(tokens=5)
    family(tokens=5, separators=1)


def test_loss_and_predictions_against_float64():
    made = family()
    examples = [pair("ab", "c", "neutral"), pair("a", "bcde", "entailment"), pair("b", "b", None)]
    batch = made.collate([made.encode(example) for example in examples])
    assert batch["tokens"].shape == (3, 9)
    torch.manual_seed(1)
    head = made.build_head(EncoderConfig(vocab_size=12, encoder_embed_dim=8, encoder_attention_heads=2)).eval()
    hidden = torch.randn(3, 9, 8)
    total, count = made.loss(head, hidden, batch)
    weight, bias = (p.detach().double().numpy() for p in head[1].parameters())
    logits = hidden[:, 0].double().numpy() @ weight.T + bias
    logp = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    assert int(count) == 2
    assert total.item() == pytest.approx(-(logp[0, 2] + logp[1, 1]), rel=1e-5)
    assert made.predict(head, hidden, batch, examples) == [LABELS[i] for i in logits.argmax(1)]
