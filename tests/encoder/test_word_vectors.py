"""Vectors of words: by hand, with their gradient, and with any text around a sentence."""

import pytest
import torch

from xalign_fairseq.data.word_tables import WordTable
from xalign_fairseq.encoder.word_vectors import POOLINGS, word_vectors

# <s> a a b </s> x y y y </s> and <s> a </s> x </s>: words 0 and 1, and 0, 1 (three tokens), in the second row 0 and 2.
WORDS = torch.tensor([[-1, 0, 0, 1, -1, 0, 1, 1, 1, -1], [-1, 0, -1, 2, -1, -1, -1, -1, -1, -1]])
SPANS = torch.tensor([[1, 4, 5, 9], [1, 2, 3, 4]])
TABLE = WordTable(WORDS, SPANS, 1)
ROWS, NUMBERS = torch.tensor([0, 0, 1]), torch.tensor([1, 0, 2])


@pytest.fixture
def hidden():
    return torch.randn(2, 10, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def test_first_tokens_and_means_by_hand(hidden):
    first = word_vectors(hidden, TABLE, ROWS, NUMBERS, None, "first")
    assert torch.equal(first, torch.stack([hidden[0, 6], hidden[0, 5], hidden[1, 3]]))
    mean = word_vectors(hidden, TABLE, ROWS, NUMBERS, None, "mean")
    torch.testing.assert_close(mean, torch.stack([hidden[0, 6:9].mean(0), hidden[0, 5], hidden[1, 3]]))
    for pooling in POOLINGS:
        assert word_vectors(hidden, TABLE, ROWS[:0], NUMBERS[:0], None, pooling).shape == (0, 4)
    with pytest.raises(ValueError, match="first, mean, not max"):
        word_vectors(hidden, TABLE, ROWS, NUMBERS, None, "max")


@pytest.mark.parametrize("pooling", POOLINGS)
def test_a_side_by_itself_gives_the_same(hidden, pooling):
    # <s> x y y y </s>: five positions less than in the pair, and two in the second row.
    side = torch.stack([hidden[0, 4:10], hidden[1, 2:8]])
    found = word_vectors(side, TABLE, ROWS, NUMBERS, SPANS[:, 2] - 1, pooling)
    torch.testing.assert_close(found, word_vectors(hidden, TABLE, ROWS, NUMBERS, None, pooling))


@pytest.mark.parametrize("pooling", POOLINGS)
def test_nothing_outside_the_words_is_read(hidden, pooling):
    other = hidden.masked_fill(WORDS.lt(0)[..., None], 50.0)
    found = word_vectors(other, TABLE, ROWS, NUMBERS, None, pooling)
    assert torch.equal(found, word_vectors(hidden, TABLE, ROWS, NUMBERS, None, pooling))


@pytest.mark.parametrize("pooling", POOLINGS)
def test_the_gradient_is_that_of_finite_differences(hidden, pooling):
    twice = torch.tensor([0, 0, 0]), torch.tensor([1, 1, 0])  # a word may be asked for twice
    assert torch.autograd.gradcheck(
        lambda states: word_vectors(states, TABLE, *twice, None, pooling), (hidden.requires_grad_(),)
    )
