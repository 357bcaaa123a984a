"""The biaffine scores against their equations, word by word."""

import pytest
import torch

from xalign_fairseq.transfer.heads.biaffine import Biaffine

LENGTHS = (4, 2)


@pytest.fixture
def head():
    torch.manual_seed(1)
    head = Biaffine(6, 3, arc_size=5, label_size=4, dropout=0.5).double().eval()
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.normal_()
    return head


@pytest.fixture
def batch():
    generator = torch.Generator().manual_seed(2)
    states = torch.randn(2, 5, 6, generator=generator, dtype=torch.float64)
    return states, torch.arange(4) < torch.tensor(LENGTHS)[:, None]


def vector(part, state):
    x = part.linear.weight @ state + part.linear.bias
    return torch.where(x > 0, x, 0.1 * x)


def test_arcs_by_the_equation(head, batch):
    states, mask = batch
    found = head.arc_scores(states, mask)
    for i, length in enumerate(LENGTHS):
        for w in range(1, length + 1):
            d = vector(head.arc_dependent, states[i, w])
            for h in range(5):
                g = vector(head.arc_head, states[i, h])
                if h in range(length + 1) and h != w:
                    expected = d @ head.arc_weight @ g + head.arc_bias @ g
                    torch.testing.assert_close(found[i, w - 1, h], expected)
                else:
                    assert found[i, w - 1, h] == -torch.inf


def test_labels_by_the_equation(head, batch):
    states, mask = batch
    heads = torch.tensor([[2, 0, 4, 1], [0, 1, -1, -1]])
    found = head.label_scores(states, heads, mask)
    assert found.shape == (6, 3)
    words = [(i, w) for i, length in enumerate(LENGTHS) for w in range(1, length + 1)]
    for row, (i, w) in zip(found, words, strict=True):
        d = vector(head.label_dependent, states[i, w])
        g = vector(head.label_head, states[i, heads[i, w - 1]])
        linear = head.label_linear.weight @ torch.cat([d, g]) + head.label_linear.bias
        expected = torch.stack([d @ weight @ g for weight in head.label_weight]) + linear
        torch.testing.assert_close(row, expected)


def test_padding_changes_nothing(head, batch):
    states, mask = batch
    heads = torch.tensor([[2, 0, 4, 1], [0, 1, -1, -1]])
    arcs, labels = head.arc_scores(states, mask), head.label_scores(states, heads, mask)
    alone = states[1:, :3], mask[1:, :2]
    torch.testing.assert_close(head.arc_scores(*alone)[0], arcs[1, :2, :3])
    torch.testing.assert_close(head.label_scores(alone[0], heads[1:, :2], alone[1]), labels[4:])


def test_a_new_head_prefers_nothing():
    torch.manual_seed(0)
    head = Biaffine(6, 3)
    mask = torch.ones(1, 4, dtype=torch.bool)
    scores = head.arc_scores(torch.randn(1, 5, 6), mask)
    assert (scores[scores.isfinite()] == 0).all() and scores.isfinite().sum() == 16


def test_dropout_is_the_same_in_all_words_of_a_sentence():
    torch.manual_seed(0)
    head = Biaffine(6, 3, arc_size=200, dropout=0.5)
    mapped = head.arc_head(torch.randn(2, 5, 6))
    dropped = mapped == 0
    assert (dropped.all(1) == dropped.any(1)).all()
    assert not dropped[0].equal(dropped[1])
    assert 0.4 < dropped.float().mean() < 0.6


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_scores_of_narrow_states_are_float32(dtype):
    head = Biaffine(6, 3).to(dtype)
    states, mask = torch.randn(1, 3, 6).to(dtype), torch.ones(1, 2, dtype=torch.bool)
    assert head.arc_scores(states, mask).dtype == torch.float32
    assert head.label_scores(states, torch.tensor([[2, 0]]), mask).dtype == torch.float32


def test_arc_scores_beyond_half_precision_are_finite():
    head = Biaffine(4, 2, arc_size=256, label_size=4).half().eval()
    with torch.no_grad():
        for part in (head.arc_dependent, head.arc_head):
            part.linear.weight.zero_()
            part.linear.bias.fill_(20)
        head.arc_weight.copy_(torch.eye(256))
    scores = head.arc_scores(torch.ones(1, 3, 4).half(), torch.ones(1, 2, dtype=torch.bool))
    assert scores[0, 0, 0] == 256 * 20 * 20  # half precision ends at 65,504
