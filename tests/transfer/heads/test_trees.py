"""The best tree against all trees, against another implementation, and where the best heads are a tree already."""

import itertools
from functools import cache

import numpy as np
import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transfer.heads import trees
from xalign_fairseq.transfer.heads.trees import decode_trees


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
        # Whole numbers: many cycles in cycles.
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


def test_heads_that_are_a_tree_are_kept(monkeypatch):
    def fail(scores):
        raise AssertionError("not needed")

    monkeypatch.setattr(trees, "maximum_spanning_tree", fail)
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(20, 5, 6))
    golds = all_trees(5)[rng.integers(0, 625, size=20)]
    np.put_along_axis(scores, golds[..., None], 10.0, axis=2)
    assert decode_trees(scores, [5] * 20).tolist() == golds.tolist()


def test_padding_and_company_change_nothing():
    rng = np.random.default_rng(1)
    lengths = [7, 0, 1, 4, 6]
    scores = rng.normal(size=(5, 7, 8))
    found = decode_trees(scores, lengths)
    for i, n in enumerate(lengths):
        garbage = np.full((2, 9, 10), np.nan)
        garbage[0, :n, : n + 1] = scores[i, :n, : n + 1]
        garbage[0, np.arange(n), np.arange(n) + 1] = np.inf  # a word as its own head is never read
        again = decode_trees(garbage, [n, 0])
        assert again[0, :n].tolist() == found[i, :n].tolist()
        assert (again[0, n:] == -1).all() and (again[1] == -1).all()


def test_long_sentences_are_trees():
    scores = np.random.default_rng(2).normal(size=(1, 400, 401))
    found = decode_trees(scores, [400])[0]
    assert is_tree(found.tolist())
    greedy = np.where(np.eye(400, 401, 1), -np.inf, scores[0]).max(1).sum()
    assert greedy - 10 < value(scores[0], found) <= greedy


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite(bad):
    scores = np.zeros((1, 2, 3))
    scores[0, 1, 0] = bad
    with pytest.raises(XalignError, match="not finite"):
        decode_trees(scores, [2])
