import numpy as np
import pytest
import torch

from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.packing import pack

PAD = 1
ONE = torch.tensor([[0, 5, 6, 2], [0, 2, 1, 1], [0, 7, 2, 1], [0, 8, 9, 2]])
TWO = torch.tensor([[0, 3, 2], [4, 1, 1]])


def there_and_back(inputs):
    packing = pack(inputs)
    row = packing.row([given.tokens for given in inputs])
    for given, place in zip(inputs, packing.places, strict=True):
        expected = given.tokens.masked_fill(given.tokens.eq(PAD), 0)
        assert torch.equal(place.unpack(row[:, None].double()), expected[..., None].double())
    return packing, row


def test_one_input_shortest_sentences_first():
    packing, row = there_and_back([Input(ONE)])
    assert row.tolist() == [0, 2, 0, 7, 2, 0, 5, 6, 2, 0, 8, 9, 2]
    assert packing.sentences.runs == ((1, 2), (1, 3), (2, 4))
    assert packing.sentences.offsets.tolist() == [0, 2, 5, 9, 13] and packing.sentences.padding == 3 / 16


@pytest.mark.parametrize(
    "tokens",
    [
        torch.full((2, 3), PAD),
        torch.tensor([[0, 2, 1], [1, 1, 1]]),
        torch.tensor([[1, 0, 1, 2], [0, 2, 1, 1], [1, 1, 3, 1]]),
        torch.zeros(0, 3, dtype=torch.int64),
        torch.zeros(2, 0, dtype=torch.int64),
    ],
    ids=["nothing", "an empty row", "padding anywhere", "no row", "no column"],
)
def test_odd_shapes(tokens):
    there_and_back([Input(tokens)])
    there_and_back([Input(TWO), Input(tokens), Input(ONE)])


def test_gradients_reach_each_token_once():
    packing = pack([Input(ONE), Input(TWO)])
    row = torch.randn(17, 2, dtype=torch.float64, requires_grad=True)
    weights = [torch.randn(*tokens.shape, 2, dtype=torch.float64) for tokens in (ONE, TWO)]
    total = sum((place.unpack(row) * w).sum() for place, w in zip(packing.places, weights, strict=True))
    [found] = torch.autograd.grad(total, row)
    assert torch.equal(found, torch.stack([packing.row([w[..., column] for w in weights]) for column in (0, 1)], 1))


def test_lengths_on_another_device_are_not_waited_for():
    tokens = ONE.to("meta")
    assert pack([Input(tokens)]) is None
    assert pack([Input(ONE), Input(tokens)]) is None
    assert pack([Input(tokens, lengths=np.array([4, 2, 3, 4]))]) is not None


@pytest.mark.parametrize("inputs", [1, 2])
def test_rows_at_positions(inputs):
    given = [torch.tensor([[0, 5, 6, 2], [0, 7, 2, 1], [0, 8, 2, 1]]), torch.tensor([[0, 9, 3, 9, 2]])][:inputs]
    packing = pack([Input(tokens) for tokens in given])
    row = packing.row(given)
    for tokens, place in zip(given, packing.places, strict=True):
        positions = tokens.flatten().ne(1).nonzero().flatten().flip(0)
        assert row[place.rows_at(positions)].tolist() == tokens.flatten()[positions].tolist()
