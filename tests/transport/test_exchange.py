"""Exchange of hidden states by links: hand-worked cases, the printed A^T H, gradients, ragged batches."""

import pytest
import torch

from xalign_fairseq.transport.exchange import exchange

DOUBLE = torch.float64
# <s> a b c </s> x y </s>; the state of position p is (p, 10 p)
STATES = torch.tensor([[[p, 10.0 * p] for p in range(8)]], dtype=DOUBLE)
SPANS = torch.tensor([[1, 4, 5, 7]])
EVERYTHING = torch.ones(1, 8, dtype=torch.bool)


def links(*given):
    return torch.tensor([[0, i, j] for i, j in given], dtype=torch.int64).reshape(-1, 3)


def exchange_of(hidden, given, wanted, many="sum", spans=SPANS):
    """By links [row, src position, tgt position] and a mask of wanted tokens."""
    n, m = (spans[:, 1::2] - spans[:, ::2]).amax(0).tolist()
    matrix = torch.zeros(len(spans), n, m, dtype=torch.bool)
    rows, i, j = given.unbind(1)
    matrix[rows, i - spans[rows, 0], j - spans[rows, 2]] = True
    return exchange(hidden, matrix, spans, wanted.flatten().nonzero()[:, 0], many)


def dense(hidden, given, many="sum"):
    """A^T H with A written out, for every position."""
    batch, length, _ = hidden.shape
    matrix = torch.zeros(batch, length, length, dtype=DOUBLE)
    for row, i, j in given.tolist():
        matrix[row, i, j] = matrix[row, j, i] = 1
    sums = matrix.transpose(1, 2) @ hidden
    counts = matrix.sum(1).long()
    return (sums / counts.clamp(min=1)[..., None] if many == "mean" else sums), counts


def random_case(seed, batch=5, length=13, width=3):
    generator = torch.Generator().manual_seed(seed)
    hidden = torch.randn(batch, length, width, dtype=DOUBLE, generator=generator)
    given = [
        [row, i, j]
        for row in range(1, batch)  # the first pair has no link
        for i in range(1, 6)
        for j in range(7, 12)
        if torch.rand((), generator=generator) < 0.25
    ]
    wanted = torch.rand(batch, length, generator=generator) < 0.4
    spans = torch.tensor([[1, 6, 7, 12]]).expand(batch, -1).clone()
    spans[0] = torch.tensor([1, 3, 4, 5])  # the first pair is shorter than the others
    return hidden, torch.tensor(given), wanted, spans


def test_one_to_one_links_swap_states():
    states, partners = exchange_of(STATES, links((1, 6), (3, 5)), EVERYTHING)
    assert states[:, 0].tolist() == [0, 6, 0, 5, 0, 3, 1, 0]
    assert states[:, 1].tolist() == [0, 60, 0, 50, 0, 30, 10, 0]
    assert partners.tolist() == [0, 1, 0, 1, 0, 1, 1, 0]


@pytest.mark.parametrize(
    ("many", "expected"), [("sum", [0, 11, 6, 0, 0, 1, 3, 0]), ("mean", [0, 5.5, 6, 0, 0, 1, 1.5, 0])]
)
def test_of_many_partners_states_are_added_or_averaged(many, expected):
    states, partners = exchange_of(STATES, links((1, 5), (1, 6), (2, 6)), EVERYTHING, many)
    assert states[:, 0].tolist() == expected
    assert partners.tolist() == [0, 2, 1, 0, 0, 1, 2, 0]


def test_only_wanted_tokens_have_a_row():
    wanted = torch.zeros(1, 8, dtype=torch.bool)
    wanted[0, [2, 6]] = True
    states, partners = exchange_of(STATES, links((1, 5), (1, 6), (2, 6)), wanted)
    assert states[:, 0].tolist() == [6, 3] and partners.tolist() == [1, 2]


@pytest.mark.parametrize("many", ["sum", "mean"])
@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_printed_product(many, seed):
    hidden, given, wanted, spans = random_case(seed)
    states, partners = exchange_of(hidden, given, wanted, many, spans)
    expected, counts = dense(hidden, given, many)
    assert torch.allclose(states, expected[wanted], rtol=0, atol=1e-14)
    assert (partners == counts[wanted]).all() and (partners > 1).any() and (partners == 0).any()


@pytest.mark.parametrize("many", ["sum", "mean"])
def test_gradient(many):
    hidden, given, wanted, spans = random_case(1, batch=2, length=12)
    assert torch.autograd.gradcheck(lambda h: exchange_of(h, given, wanted, many, spans)[0], hidden.requires_grad_())


def test_without_a_link_or_a_wanted_token_nothing_is_read():
    hidden = STATES.clone().requires_grad_()
    states, partners = exchange_of(hidden, links(), EVERYTHING)
    assert states.shape == (8, 2) and (states == 0).all() and (partners == 0).all()
    none, count = exchange_of(hidden, links((1, 5)), ~EVERYTHING)
    assert none.shape == (0, 2) and count.shape == (0,)
    (states.sum() + none.sum()).backward()
    assert (hidden.grad == 0).all()


def test_half_precision_is_summed_in_float32():
    hidden = torch.full((1, 8, 1), 40000.0, dtype=torch.float16)  # two are more than float16 can hold
    states, _ = exchange_of(hidden, links((1, 5), (1, 6), (1, 7)), EVERYTHING, "mean", torch.tensor([[1, 4, 5, 8]]))
    assert states.dtype == torch.float16 and states[1].item() == hidden[0, 0].item()


def test_an_unknown_way_is_refused():
    with pytest.raises(ValueError, match="sum, mean"):
        exchange_of(STATES, links(), EVERYTHING, "max")
