"""Small pairs of similar hidden states for the methods, and similarities in plain Python."""

import math
import random

import torch

DIM = 6
SIZES = [(1, 1), (1, 5), (4, 1), (2, 2), (2, 6), (3, 3), (5, 4), (6, 6), (7, 3)]


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
        row[1 : 1 + n], row[2 + n : 2 + n + m] = (torch.tensor(side, dtype=torch.float64) for side in (src, tgt))
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
