"""Methods of alignment against their rules in plain Python; padding, probabilities, options."""

import math
import random
from itertools import permutations

import pytest
import torch
from sinkhorn_pairs import method_matrices, pair_matrices

from xalign_fairseq.errors import XalignError
from xalign_fairseq.transport.methods import METHODS, Cosine, Dustbin, Softmax, Transport, make_method, method_label
from xalign_fairseq.transport.sinkhorn.dustbin import dustbin_plan

DIM = 6
SIZES = [(1, 1), (1, 5), (4, 1), (2, 2), (2, 6), (3, 3), (5, 4), (6, 6), (7, 3)]
ALL = [Transport(), Dustbin(0.3), Cosine(), Cosine("itermax", rounds=3), Cosine("match"), Softmax(0.05)]


def draw(seed, sizes=SIZES):
    """Sides of similar states, as lists, and a batch (B, T, H) of them with spans."""
    rng = random.Random(seed)
    vector = [rng.gauss(0, 1) for _ in range(DIM)]
    pairs = [[[[v + rng.gauss(0, 1) for v in vector] for _ in range(size)] for size in both] for both in sizes]
    length = 3 + max(map(sum, sizes))
    hidden = torch.full((len(sizes), length, DIM), 50.0, dtype=torch.float64)
    spans = []
    for row, (src, tgt) in zip(hidden, pairs, strict=True):
        n, m = len(src), len(tgt)
        row[1 : 1 + n], row[2 + n : 2 + n + m] = torch.tensor(src).double(), torch.tensor(tgt).double()
        spans.append([1, 1 + n, 2 + n, 2 + n + m])
    return pairs, hidden, torch.tensor(spans)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def similarities(src, tgt):
    """(1 + cos) / 2."""
    return [[(1 + dot(a, b) / math.sqrt(dot(a, a) * dot(b, b))) / 2 for b in tgt] for a in src]


def mutual(values):
    """Entries that are the first largest of their row and of their column."""
    columns = list(zip(*values, strict=True))
    return {
        (i, j)
        for i, row in enumerate(values)
        for j, column in enumerate(columns)
        if row.index(max(row)) == j and column.index(max(column)) == i
    }


def argmax_rule(src, tgt):
    return mutual(similarities(src, tgt))


def itermax_rule(src, tgt, rounds=3, alpha=0.9):
    values = similarities(src, tgt)
    links = mutual(values)
    if min(len(src), len(tgt)) <= 2:
        return links
    for _ in range(rounds - 1):
        rows, columns = {i for i, _ in links}, {j for _, j in links}
        if len(rows) == len(src) or len(columns) == len(tgt):
            break
        weight = {0: 1.0, 1: alpha, 2: 0.0}
        weighted = [
            [value * weight[(i in rows) + (j in columns)] for j, value in enumerate(row)]
            for i, row in enumerate(values)
        ]
        links = links | {(i, j) for i, j in mutual(weighted) if i not in rows or j not in columns}
    return links


def match_rule(src, tgt):
    """The best of all one-to-one assignments."""
    values = similarities(src, tgt)
    if len(src) > len(tgt):
        return {(i, j) for j, i in match_rule(tgt, src)}
    best = max(permutations(range(len(tgt)), len(src)), key=lambda js: sum(values[i][j] for i, j in enumerate(js)))
    return set(enumerate(best))


def softmax_rule(src, tgt, threshold=0.05):
    scores = [[math.exp(dot(a, b)) for b in tgt] for a in src]
    columns = [sum(column) for column in zip(*scores, strict=True)]
    return {
        (i, j): math.sqrt(value / sum(row) * value / columns[j])
        for i, row in enumerate(scores)
        for j, value in enumerate(row)
        if value / sum(row) > threshold and value / columns[j] > threshold
    }


@pytest.mark.parametrize(
    ("method", "rule"),
    [
        (Cosine(), argmax_rule),
        (Cosine("itermax", rounds=3), itermax_rule),
        (Cosine("match"), match_rule),
        (Softmax(0.05), softmax_rule),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_links_follow_the_rules(method, rule, seed):
    pairs, hidden, spans = draw(seed)
    links, probability = method_matrices(method, hidden, spans)
    for k, (src, tgt) in enumerate(pairs):
        found = {(i, j): float(probability[k, i, j]) for i, j in links[k].nonzero().tolist()}
        expected = rule(src, tgt)
        assert found.keys() == set(expected)
        if rule is softmax_rule:
            assert found == pytest.approx(expected)
        else:
            values = similarities(src, tgt)
            assert found == pytest.approx({(i, j): values[i][j] for i, j in expected})


def test_transport_is_the_rule_that_training_labels_with():
    _, hidden, spans = draw(1)
    method = Transport(filter="union", mu=0.5)
    assert all(map(torch.equal, method_matrices(method, hidden, spans), pair_matrices(hidden, spans, method)))


@pytest.mark.parametrize("filter", ["argmax", "itermax", "union"])
def test_the_dustbin_keeps_links_that_are_likelier_than_none(filter):
    pairs, hidden, spans = draw(4)
    links, probability = method_matrices(Dustbin(0.45, mu=0.2, iterations=30, filter=filter), hidden, spans)
    dropped = 0
    for k, (src, tgt) in enumerate(pairs):
        cosines = torch.tensor(similarities(src, tgt), dtype=torch.float64) * 2 - 1
        low, high = cosines.min(), cosines.max()
        scores = (cosines - low) / (high - low) if high > low else torch.ones_like(cosines)
        masks = (torch.ones(1, size, dtype=torch.bool) for size in cosines.shape)
        [plan] = dustbin_plan(scores[None], *masks, 0.45, mu=0.2, iterations=30)
        inner = plan[:-1, :-1]
        values = (inner * ((inner > plan[:-1, -1:]) | (inner > plan[-1:, :-1]))).tolist()
        survivors = {(i, j) for i, row in enumerate(values) for j, value in enumerate(row) if value > 0}
        found = {(i, j) for i, j in links[k].nonzero().tolist()}
        assert found <= survivors and mutual(values) & survivors <= found
        if filter == "argmax":
            assert found == mutual(values) & survivors
        dropped += len(mutual(inner.tolist()) - found)
        for i, j in found:
            share = inner[i, j] / (plan[i].sum() * plan[:, j].sum()).sqrt()
            assert float(probability[k, i, j]) == pytest.approx(float(share))
    assert dropped > 3 and links.any()


def test_the_higher_the_dustbin_the_fewer_links_and_the_best_one_stays():
    _, hidden, spans = draw(5)
    counts = [[int(pair.sum()) for pair in method_matrices(Dustbin(z), hidden, spans)[0]] for z in (0.0, 0.3, 0.6, 0.9)]
    totals = [sum(each) for each in counts]
    assert totals == sorted(totals, reverse=True) and totals[0] > totals[-1]
    assert counts[0][0] == 1 and min(counts[1]) >= 1


@pytest.mark.parametrize("method", ALL, ids=method_label)
def test_padding_sizes_and_other_pairs_bear_on_nothing(method):
    _, hidden, spans = draw(2)
    links, probability = method_matrices(method, hidden, spans)
    assert links.dtype == torch.bool and links.shape == probability.shape == (len(SIZES), 7, 6)
    assert all(map(torch.equal, method_matrices(method, hidden, spans, (7, 6)), (links, probability)))
    wide_links, wide_probability = method_matrices(method, hidden, spans, (9, 11))
    assert not wide_links[:, 7:].any() and not wide_links[:, :, 6:].any()
    for k, (n, m) in enumerate(SIZES):
        alone, share = method_matrices(method, hidden[k : k + 1, : 3 + n + m], spans[k : k + 1])
        assert torch.equal(alone[0], links[k, :n, :m]) and torch.equal(alone[0], wide_links[k, :n, :m])
        torch.testing.assert_close(share[0], probability[k, :n, :m])
        torch.testing.assert_close(share[0], wide_probability[k, :n, :m])
        assert links[k].sum() == alone.sum() > 0
    assert (probability >= 0).all() and (probability <= 1).all()


@pytest.mark.parametrize("method", ALL, ids=method_label)
def test_states_that_are_not_finite_give_no_links(method):
    _, hidden, spans = draw(3)
    expected = method_matrices(method, hidden, spans)[0]
    for value in (float("nan"), float("inf")):
        broken = hidden.clone()
        broken[5, 2, 0] = value
        links, probability = method_matrices(method, broken, spans)
        assert not links[5].any() and probability[5].isfinite().all()
        assert torch.equal(links[[0, 1, 2, 3, 4, 6, 7, 8]], expected[[0, 1, 2, 3, 4, 6, 7, 8]])


@pytest.mark.parametrize("method", ALL, ids=method_label)
def test_narrow_states_empty_sides_and_no_gradient(method):
    _, hidden, spans = draw(6)
    links, probability = method_matrices(method, hidden.bfloat16().requires_grad_(), spans)
    assert probability.dtype == torch.float32 and not probability.requires_grad and links.any()
    empty = torch.tensor([[1, 1, 2, 4], [1, 3, 4, 4]])
    assert not len(method(hidden[:2], empty).pair)
    assert not len(method(hidden[:1], torch.tensor([[1, 1, 2, 2]])).pair)


def test_methods_by_name():
    assert [method_label(make_method(name)) for name in METHODS] == [
        "transport-itermax", "ot-unbalanced-argmax", "argmax", "itermax", "match", "softmax",
    ]  # fmt: skip
    assert make_method("transport", filter="union", mu=None) == Transport(filter="union")
    assert make_method("itermax", rounds=4).describe() == {"method": "itermax", "rounds": 4, "alpha": 0.9}
    assert make_method("ot-unbalanced", dustbin=0.7).describe() == {
        "method": "ot-unbalanced", "filter": "argmax", "dustbin": 0.7, "mu": 0.1, "iterations": 20,
    }  # fmt: skip
    for name, kind in METHODS.items():
        make_method(name, **{option: None for option in kind.options})


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("best", {}, "no such method(.|\n)*best(.|\n)*transport or ot-unbalanced"),
        ("argmax", {"mu": 0.5}, "argmax has no such option(.|\n)*--mu(.|\n)*none"),
        ("softmax", {"rounds": 3}, "--rounds(.|\n)*--threshold"),
        ("softmax", {"threshold": 1.0}, "threshold"),
        ("itermax", {"alpha": 0.0}, "alpha"),
        ("transport", {"filter": "match"}, "filter(.|\n)*match"),
        ("ot-unbalanced", {"dustbin": 1.5}, "dustbin(.|\n)*0 to 1"),
        ("ot-unbalanced", {"iterations": 0}, "iterations(.|\n)*1 or more"),
        ("ot-unbalanced", {"mu": 0.0}, "mu"),
    ],
)
def test_names_and_options_without_meaning(name, options, message):
    with pytest.raises(XalignError, match=message):
        make_method(name, **options)
    with pytest.raises(XalignError, match="rule on cosines"):
        Cosine("union")


def test_matching_without_scipy(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "scipy.optimize", None)
    with pytest.raises(XalignError, match=r"(.|\n)*pip install scipy"):
        make_method("match")
