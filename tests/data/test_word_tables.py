import itertools

import pytest
import torch

from xalign_fairseq.data.word_tables import SUBWORD_RULES, WordTable, link_matrix, word_vectors
from xalign_fairseq.transport.names import WORD_POOLINGS

# <s> a a b </s> x y y y </s> and <s> a </s> x </s>: words 0 and 1, and 0, 1 (three tokens); second row: 0 and 2.
WORDS = torch.tensor([[-1, 0, 0, 1, -1, 0, 1, 1, 1, -1], [-1, 0, -1, 2, -1, -1, -1, -1, -1, -1]])
SPANS = torch.tensor([[1, 4, 5, 9], [1, 2, 3, 4]])
SRC, TGT = WordTable(WORDS, SPANS, 0, 3), WordTable(WORDS, SPANS, 1, 3)
SIZES = (3, 4)
LINKS = torch.tensor([[0, 0, 1], [0, 1, 0], [1, 0, 2]])


def expand(links, src, tgt, rule, sizes=SIZES):
    """The links between tokens as [row, src position, tgt position], in order."""
    matrix = link_matrix(links, src, tgt, rule, sizes)
    rows, i, j = matrix.nonzero().unbind(1)
    return torch.stack([rows, src.spans[rows, 0] + i, src.spans[rows, 2] + j], 1)


def test_tables_say_where_words_begin_and_how_long_they_are():
    assert SRC.first.tolist() == [[1, 3, -1], [1, -1, -1]]
    assert SRC.count.tolist() == [[2, 1, 0], [1, 0, 0]]
    assert TGT.first.tolist() == [[5, 6, -1], [-1, -1, 3]]
    assert TGT.count.tolist() == [[1, 3, 0], [0, 0, 1]]


@pytest.mark.parametrize("rule", SUBWORD_RULES)
def test_links_of_words_without_tokens_are_left_out(rule):
    # Word 1 of the second row's source has no token; word 7 is in neither table.
    assert expand(torch.tensor([[1, 1, 2], [1, 0, 7], [1, 0, 1]]), SRC, TGT, rule).shape == (0, 3)
    assert expand(LINKS[:0], SRC, TGT, rule).shape == (0, 3)


@pytest.mark.parametrize("rule", SUBWORD_RULES)
def test_rules_against_plain_loops(rule):
    generator = torch.Generator().manual_seed(1)
    sides = [torch.randint(1, 4, (count,), generator=generator).tolist() for count in (5, 4)]
    starts = [1, 2 + sum(sides[0])]
    tokens = [
        [start + sum(side[:word]) for word in range(len(side) + 1)] for start, side in zip(starts, sides, strict=True)
    ]
    row = [-1, *(w for w, n in enumerate(sides[0]) for _ in range(n)), -1]
    row += [*(w for w, n in enumerate(sides[1]) for _ in range(n)), -1]
    words, spans = torch.tensor([row]), torch.tensor([[1, tokens[0][-1], starts[1], tokens[1][-1]]])
    links = [(i, j) for i, j in itertools.product(range(5), range(4)) if (i + j) % 2]
    expected = []
    for i, j in links:
        a, b = (range(side[w], side[w + 1]) for side, w in zip(tokens, (i, j), strict=True))
        pairs = {"first": [(a[0], b[0])], "all": itertools.product(a, b), "k-to-k": zip(a, b, strict=False)}[rule]
        expected += [[0, *pair] for pair in pairs]
    given = torch.tensor([[0, i, j] for i, j in links])
    tables = WordTable(words, spans, 0, 5), WordTable(words, spans, 1, 5)
    assert expand(given, *tables, rule, ((sum(sides[0]), sum(sides[1])))).tolist() == sorted(expected)


# <s> a a b </s> x y y y </s> and <s> a </s> x </s>: words 0 and 1, and 0, 1 (three tokens); second row: 0 and 2.
TABLE = WordTable(WORDS, SPANS, 1, 3)
WHOLE = torch.zeros(2, dtype=torch.int64)  # the states of whole pairs
ROWS, NUMBERS = torch.tensor([0, 0, 1]), torch.tensor([1, 0, 2])


@pytest.fixture
def hidden():
    return torch.randn(2, 10, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def test_first_tokens_and_means_by_hand(hidden):
    first = word_vectors(hidden, TABLE, ROWS, NUMBERS, WHOLE, "first")
    assert torch.equal(first, torch.stack([hidden[0, 6], hidden[0, 5], hidden[1, 3]]))
    mean = word_vectors(hidden, TABLE, ROWS, NUMBERS, WHOLE, "mean")
    torch.testing.assert_close(mean, torch.stack([hidden[0, 6:9].mean(0), hidden[0, 5], hidden[1, 3]]))
    for pooling in WORD_POOLINGS:
        assert word_vectors(hidden, TABLE, ROWS[:0], NUMBERS[:0], WHOLE, pooling).shape == (0, 4)
    with pytest.raises(ValueError, match="first, mean, not max"):
        word_vectors(hidden, TABLE, ROWS, NUMBERS, WHOLE, "max")


@pytest.mark.parametrize("pooling", WORD_POOLINGS)
def test_a_side_alone_gives_the_same(hidden, pooling):
    # <s> x y y y </s>: five positions less than in the pair, and two in the second row.
    side = torch.stack([hidden[0, 4:10], hidden[1, 2:8]])
    found = word_vectors(side, TABLE, ROWS, NUMBERS, SPANS[:, 2] - 1, pooling)
    torch.testing.assert_close(found, word_vectors(hidden, TABLE, ROWS, NUMBERS, WHOLE, pooling))


@pytest.mark.parametrize("pooling", WORD_POOLINGS)
def test_nothing_outside_the_words_is_read(hidden, pooling):
    found = word_vectors(hidden.masked_fill(WORDS.lt(0)[..., None], 50.0), TABLE, ROWS, NUMBERS, WHOLE, pooling)
    assert torch.equal(found, word_vectors(hidden, TABLE, ROWS, NUMBERS, WHOLE, pooling))


@pytest.mark.parametrize("pooling", WORD_POOLINGS)
def test_the_gradient_is_that_of_finite_differences(hidden, pooling):
    twice = torch.tensor([0, 0, 0]), torch.tensor([1, 1, 0])  # a word may be requested twice
    assert torch.autograd.gradcheck(
        lambda states: word_vectors(states, TABLE, *twice, WHOLE, pooling), (hidden.requires_grad_(),)
    )


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="k-to-k"):
        link_matrix(LINKS, SRC, TGT, "last", SIZES)
