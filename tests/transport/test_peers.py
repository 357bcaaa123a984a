"""SimAlign's and awesome-align's links against their rules in plain Python."""

import math
from itertools import permutations

import pytest
from support.links import by_pair, dot, draw, method_matrices, mutual, similarities

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.methods import Transport, make_method
from xalign_fairseq.transport.peers import Cosine, Released, Softmax


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


def released_rule(src, tgt, iterations=2):
    """Rows of pi that meet columns of xi, in plain Python."""
    rows = [[dot(a, b) for b in tgt] for a in src]
    for _ in range(iterations):
        sums = [sum(column) for column in zip(*rows, strict=True)]
        columns = [[value / whole for value, whole in zip(row, sums, strict=True)] for row in rows]
        rows = [[value / sum(row) for value in row] for row in columns]
    best = [max(range(len(src)), key=lambda i: columns[i][j]) for j in range(len(tgt))]
    forward = [max(range(len(tgt)), key=lambda j: row[j]) for row in rows]
    return {(i, j): min(1.0, max(0.0, rows[i][j])) for i, j in enumerate(forward) if best[j] == i}


@pytest.mark.parametrize(
    ("method", "rule"),
    [
        (Cosine(), lambda src, tgt: mutual(similarities(src, tgt))),
        (Cosine("itermax", rounds=3), itermax_rule),
        (Cosine("match"), match_rule),
        (Softmax(0.05), softmax_rule),
        (Released(), released_rule),
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
        if rule in (softmax_rule, released_rule):
            assert found == pytest.approx(expected)
        else:
            values = similarities(src, tgt)
            assert found == pytest.approx({(i, j): values[i][j] for i, j in expected})


def test_matching_without_scipy(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "scipy.optimize", None)
    with pytest.raises(XalignError, match=r"(.|\n)*pip install scipy"):
        make_method("match")


def test_the_released_aligner_has_neither_a_floor_nor_a_further_round():
    """Similarities of both signs, where the clamp of our transport would give other links."""
    _, hidden, spans = draw(12)
    hidden = hidden - 1.2 * hidden[:, 1:2]
    differs = 0
    for row in range(len(spans)):
        s0, s1, t0, t1 = spans[row].tolist()
        src, tgt = hidden[row, s0:s1].tolist(), hidden[row, t0:t1].tolist()
        [found] = by_pair(Released(3)(hidden[row : row + 1], spans[row : row + 1]), 1)
        assert set(found) == set(released_rule(src, tgt, 3))
        [ours] = by_pair(Transport(iterations=3)(hidden[row : row + 1], spans[row : row + 1]), 1)
        differs += ours != found
    assert differs > 2
    with pytest.raises(XalignError, match=r"(?s)iterations.*1 or more"):
        Released(0)
