"""Self-labelling against Eq. 1 to 9 in plain Python, on random ragged batches; invariances; label conventions."""

import random

import pytest
import torch
from support.links import in_domain, pair_matrices

from xalign_fairseq.transport.methods import Transport

DOUBLE = torch.float64
RELEASED = Transport()
PRINTED = Transport(order="rows-first", filter="itermax-paper")


# Plain Python: lists and sets, one pair at a time, written from the paper and the released rules, not from the library.


def plan_of(src, tgt, options):
    similarity = [[sum(a * b for a, b in zip(s, t, strict=True)) for t in tgt] for s in src]
    kernel = [[max(options.eps, value) ** (1 / options.mu) for value in row] for row in similarity]
    n, m = len(src), len(tgt)
    for _ in range(options.iterations):
        for step in ("rows", "columns") if options.order == "rows-first" else ("columns", "rows"):
            if step == "rows":
                kernel = [[value / sum(row) for value in row] for row in kernel]
            else:
                sums = [sum(kernel[i][j] for i in range(n)) for j in range(m)]
                kernel = [[row[j] / sums[j] for j in range(m)] for row in kernel]
    return kernel


def first_largest(values):
    peak = max(values)
    # Values that differ only by rounding are equal: the lowest index.
    return next(k for k, value in enumerate(values) if value >= peak * (1 - 1e-13))


def directions(plan):
    forward = {(i, first_largest(row)) for i, row in enumerate(plan) if max(row) > 0}
    columns = list(zip(*plan, strict=True))
    return forward, {(first_largest(column), j) for j, column in enumerate(columns) if max(column) > 0}


def brute_links(src, tgt, options):
    if not src or not tgt:
        return set()
    plan = plan_of(src, tgt, options)
    n, m = len(src), len(tgt)
    forward, backward = directions(plan)
    if options.filter == "union":
        return forward | backward
    links = forward & backward
    if options.filter == "argmax" or (options.filter == "itermax" and min(n, m) <= 2):
        return links
    for _ in range(options.rounds - 1):
        rows, columns = {i for i, _ in links}, {j for _, j in links}
        if options.filter == "itermax":
            if len(rows) == n or len(columns) == m:
                break
            # Two, one or no linked tokens: 0, alpha, 1; always of the original plan.
            weight = [[(1.0, options.alpha, 0.0)[(i in rows) + (j in columns)] for j in range(m)] for i in range(n)]
            forward, backward = directions([[plan[i][j] * weight[i][j] for j in range(m)] for i in range(n)])
        else:
            for i in range(n):
                for j in range(m):
                    if (i, j) in links:
                        plan[i][j] = 0.0
                    elif i in rows or j in columns:
                        plan[i][j] *= options.alpha
            forward, backward = directions(plan)
        if forward & backward <= links:
            break
        links = links | (forward & backward)
    return links


def random_batch(seed, pairs=10, longest=8, width=6):
    """Hidden states of ragged pairs, garbage outside the spans, some empty sides."""
    rng = random.Random(seed)
    lengths = [(rng.choice([0, 1, 2, *range(3, longest + 1)]), rng.randint(0, longest)) for _ in range(pairs)]
    length = max(n + m for n, m in lengths) + 3 + rng.randint(0, 3)
    generator = torch.Generator().manual_seed(seed)
    hidden = torch.randn(pairs, length, width, dtype=DOUBLE, generator=generator) + 0.4
    spans = torch.tensor([[1, 1 + n, 2 + n, 2 + n + m] for n, m in lengths])
    for row, (a, b, c, d) in enumerate(spans.tolist()):
        outside = [k for k in range(length) if not (a <= k < b or c <= k < d)]
        hidden[row, outside] = torch.nan
    return hidden, spans


def sides(hidden, spans, row):
    a, b, c, d = spans[row].tolist()
    return hidden[row, a:b].tolist(), hidden[row, c:d].tolist()


@pytest.mark.parametrize(
    "options",
    [
        RELEASED,
        PRINTED,
        Transport(order="rows-first"),
        Transport(filter="itermax-paper", rounds=4),
        Transport(filter="argmax", iterations=5),
        Transport(filter="union"),
        Transport(rounds=4, alpha=0.6),
        Transport(mu=0.5, eps=0.3, iterations=3),
        in_domain(Transport(mu=0.5, eps=0.3, order="rows-first", filter="itermax-paper"), "log"),
        Transport(mu=2.0),
    ],
    ids=lambda o: f"{o.order}-{o.filter}-{o.rounds}-mu{o.mu}",
)
def test_links_and_labels_follow_the_equations(options):
    several = 0
    for seed in range(30):  # 300 pairs for each set of options
        hidden, spans = random_batch(seed)
        links, _ = pair_matrices(hidden, spans, options)
        labels = options.labels(hidden, spans)
        assert labels.dtype == torch.int16 and labels.shape == hidden.shape[:2]
        for row in range(len(hidden)):
            expected = brute_links(*sides(hidden, spans, row), options)
            assert {tuple(link) for link in links[row].nonzero().tolist()} == expected, (seed, row)
            partner = [-1] * hidden.shape[1]
            src_start, _, tgt_start, _ = spans[row].tolist()
            for i, j in sorted(expected):  # later links overwrite earlier ones
                partner[src_start + i], partner[tgt_start + j] = tgt_start + j, src_start + i
            assert labels[row].tolist() == partner, (seed, row)
            several += len(expected) - len({i for i, _ in expected})
    assert options.filter == "argmax" or several > 0  # many-to-many labels occur
