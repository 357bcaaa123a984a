"""Attention over packed and padded sentences: the same weights, by the definition."""

import math

import pytest
import torch

from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.packing import pack
from xalign_fairseq.encoder.bodies.attention import Surroundings, attend, near

LENGTHS, HEADS, DIM = (7, 3, 7, 1), 4, 6


def by_definition(q, k, v, scaling, sliding_window, bias):
    """One sentence (T, heads, d), head by head; keys and values of fewer heads."""
    made = torch.empty_like(q)
    share = q.shape[1] // k.shape[1]
    for head in range(q.shape[1]):
        scores = scaling * q[:, head] @ k[:, head // share].T
        if bias is not None:
            scores = scores + bias[0, head, : len(q), : len(q)]
        for i in range(len(q)):
            for j in range(len(q)):
                if sliding_window is not None and abs(i - j) >= sliding_window:
                    scores[i, j] = -math.inf
        made[:, head] = scores.softmax(1) @ v[:, head // share]
    return made


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("kv_heads", [4, 2])
@pytest.mark.parametrize("sliding_window", [None, 3, 7])
@pytest.mark.parametrize("biased", [True, False])
def test_attention_is_its_definition(packed, kv_heads, sliding_window, biased):
    torch.manual_seed(0)
    tokens = torch.ones(len(LENGTHS), max(LENGTHS), dtype=torch.long)
    for row, length in enumerate(LENGTHS):
        tokens[row, :length] = 5
    given = Input(tokens)
    packing = pack([given], 1) if packed else None
    around = Surroundings.of([given], packing, 1)
    shape = (*tokens.shape, HEADS, DIM)
    q, k, v = (torch.randn(shape, dtype=torch.float64)[:, :, :heads] for heads in (HEADS, kv_heads, kv_heads))
    bias = torch.randn(1, HEADS, 7, 7, dtype=torch.float64) if biased else None
    parts = [
        (part if packing is None else packing.row([part.flatten(0, 1)[:, 0, 0]]))
        if packing is None
        else torch.cat([part.flatten(0, 1)])[packing._source][None]
        for part in (q, k, v)
    ]
    out, _ = attend(
        torch.nn.Identity(),
        *(part.transpose(1, 2) for part in parts),
        around,
        scaling=0.7,
        sliding_window=sliding_window,
        position_bias=bias,
    )
    if packing is not None:
        out = packing.places[0].unpack(out[0].flatten(1)).view(shape)
    assert torch.isfinite(out).all()
    for row, length in enumerate(LENGTHS):
        own = by_definition(*(part[row, :length] for part in (q, k, v)), 0.7, sliding_window, bias)
        torch.testing.assert_close(out[row, :length], own)


def test_near_tokens_are_less_than_a_window_apart():
    assert near(4, 2, torch.device("cpu")).int().tolist() == [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]


TOKENS = torch.tensor([[0, 5, 6, 2], [0, 2, 1, 1]])


def test_of_a_padded_input():
    around = Surroundings.of([Input(TOKENS)], None, 1)
    assert around.positions.tolist() == [[1, 2, 3, 4], [1, 2, 0, 0]] and around.longest == 4
    assert around.padding.tolist() == [[False] * 4, [False, False, True, True]]
    x = torch.zeros(2, 4, 8)
    assert around.batch(x) is x and around.row(x) is x


def test_of_packed_inputs():
    inputs = [Input(TOKENS), Input(TOKENS[:, :2])]
    around = Surroundings.of(inputs, pack(inputs, 1), 1)
    assert around.positions.tolist() == [[1, 2, 1, 2, 1, 2, 1, 2, 3, 4]] and around.longest == 4
    assert around.batch(torch.zeros(10, 8)).shape == (1, 10, 8) and around.row(torch.zeros(1, 10, 8)).shape == (10, 8)


def test_what_layers_share_is_made_once():
    around, made = Surroundings.of([Input(TOKENS)], None, 1), []
    for _ in range(3):
        around.once(lambda: made.append(1))
    assert made == [1]
