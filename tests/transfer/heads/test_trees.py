import itertools
from functools import cache

import numpy as np
import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transfer.heads.trees import Biaffine, decode_trees


def is_tree(heads):
    """One word under the root, and the root above every word."""

    def reaches_root(word):
        for _ in heads:
            word = heads[word - 1]
            if word == 0:
                return True
        return False

    return list(heads).count(0) == 1 and all(reaches_root(word + 1) for word in range(len(heads)))


@cache
def all_trees(words):
    choices = [[h for h in range(words + 1) if h != word + 1] for word in range(words)]
    return np.array([heads for heads in itertools.product(*choices) if is_tree(heads)])


def value(scores, heads):
    return float(scores[np.arange(len(heads)), heads].sum())


@pytest.mark.parametrize("words", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("kind", ["real", "ties", "many roots", "large"])
def test_no_tree_is_better(words, kind):
    rng = np.random.default_rng(words)
    for _ in range(25):
        scores = rng.normal(size=(words, words + 1))
        if kind == "ties":
            scores = rng.integers(0, 3, size=scores.shape).astype(float)
        elif kind == "many roots":
            scores[:, 0] += 4
        elif kind == "large":
            scores = 1e4 * scores + 1e6
        found = decode_trees(scores[None], [words])[0]
        best = scores[np.arange(words), all_trees(words)].sum(1).max()
        assert is_tree(found.tolist())
        assert value(scores, found) == pytest.approx(best, abs=1e-9 * max(1, abs(best)))


@pytest.mark.parametrize("words", [12, 40])
def test_as_networkx(words):
    networkx = pytest.importorskip("networkx")
    rng = np.random.default_rng(words)
    for _ in range(4):
        # Integers: many nested cycles.
        scores = rng.integers(0, 30, size=(words, words + 1)).astype(float)
        found = decode_trees(scores[None], [words])[0]
        root = found.tolist().index(0)
        scores[:, 0] = -1e5
        scores[root, 0] = 0
        graph = networkx.DiGraph()
        arcs = [(head, word + 1) for word in range(words) for head in range(words + 1) if head != word + 1]
        graph.add_weighted_edges_from((head, word, scores[word - 1, head]) for head, word in arcs)
        best = networkx.maximum_spanning_arborescence(graph).size("weight")
        assert is_tree(found.tolist())
        assert value(scores, found) == pytest.approx(best)


def test_padding_and_company_change_nothing():
    rng = np.random.default_rng(1)
    lengths = [7, 0, 1, 4, 6]
    scores = rng.normal(size=(5, 7, 8))
    found = decode_trees(scores, lengths)
    for i, n in enumerate(lengths):
        garbage = np.full((2, 9, 10), np.nan)
        garbage[0, :n, : n + 1] = scores[i, :n, : n + 1]
        garbage[0, np.arange(n), np.arange(n) + 1] = np.inf  # a word's score as its own head is never read
        again = decode_trees(garbage, [n, 0])
        assert again[0, :n].tolist() == found[i, :n].tolist()
        assert (again[0, n:] == -1).all() and (again[1] == -1).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite(bad):
    scores = np.zeros((1, 2, 3))
    scores[0, 1, 0] = bad
    with pytest.raises(XalignError, match="not finite"):
        decode_trees(scores, [2])


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
    states = torch.randn(2, 5, 6, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
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
        torch.testing.assert_close(row, torch.stack([d @ weight @ g for weight in head.label_weight]) + linear)


def test_padding_changes_nothing(head, batch):
    states, mask = batch
    heads = torch.tensor([[2, 0, 4, 1], [0, 1, -1, -1]])
    arcs, labels = head.arc_scores(states, mask), head.label_scores(states, heads, mask)
    alone = states[1:, :3], mask[1:, :2]
    torch.testing.assert_close(head.arc_scores(*alone)[0], arcs[1, :2, :3])
    torch.testing.assert_close(head.label_scores(alone[0], heads[1:, :2], alone[1]), labels[4:])


def test_dropout_is_the_same_in_all_words_of_a_sentence():
    torch.manual_seed(0)
    dropped = Biaffine(6, 3, arc_size=200, dropout=0.5).arc_head(torch.randn(2, 5, 6)) == 0
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
