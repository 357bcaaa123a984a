"""Pairs of sentences of units in batches of similar lengths, and their posteriors in both directions."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.aligner.statistical.chain import Posteriors, posteriors
from xalign_fairseq.aligner.statistical.guide import Guide
from xalign_fairseq.aligner.statistical.tables import Tables

CELLS = 1 << 17
"""Pairs of places in a batch, padding included, unless one pair of sentences alone has more."""
MOST_CELLS = 1 << 18
"""A pair of sentences with more is left out: 512 units a side."""
MOST_PLACES = 1 << 12
"""So is one with more units on a side, each two of which have a jump between them, however short the other side is."""


class UnitBatch(NamedTuple):
    """``lines``: which pairs; ``src`` (B, N) and ``tgt`` (B, M): ids, -1 padding; ``rows`` (B, N, M) of the tables.

    ``factors`` (B, N, M), if there are any, of their probabilities; in half precision, since a text has many.
    """

    lines: list[int]
    src: Tensor
    tgt: Tensor
    rows: Tensor
    factors: Tensor | None = None


def fits(src: Sequence[object], tgt: Sequence[object]) -> bool:
    """Whether a pair of sentences of units has something to align, and not too much."""
    return 0 < len(src) * len(tgt) <= MOST_CELLS and max(len(src), len(tgt)) <= MOST_PLACES


def batches(
    tables: Tables, src: Sequence[Sequence[str]], tgt: Sequence[Sequence[str]], factors: Guide | None = None
) -> Iterator[UnitBatch]:
    """All pairs that fit, sorted by length; ``factors`` are of a line's units."""
    lines = [line for line in range(len(src)) if fits(src[line], tgt[line])]
    lines.sort(key=lambda line: (len(src[line]), len(tgt[line])))
    group: list[int] = []
    widest = 0
    for line in lines:
        cells = len(src[line]) * max(widest, len(tgt[line])) * (len(group) + 1)  # the source's lengths ascend
        if group and cells > CELLS:
            yield _batch(tables, group, factors, src, tgt)
            group, widest = [], 0
        group.append(line)
        widest = max(widest, len(tgt[line]))
    if group:
        yield _batch(tables, group, factors, src, tgt)


def _batch(tables: Tables, lines: list[int], factors: Guide | None, *sides: Sequence[Sequence[str]]) -> UnitBatch:
    src, tgt = (np.full((len(lines), max(len(sentences[line]) for line in lines)), -1, np.int64) for sentences in sides)
    for side, (ids, sentences) in enumerate(zip((src, tgt), sides, strict=True)):
        for row, line in zip(ids, lines, strict=True):
            row[: len(sentences[line])] = tables.ids(sentences[line], side)
    given = None if factors is None else _padded([factors(line) for line in lines], src.shape[1], tgt.shape[1])
    return UnitBatch(lines, torch.from_numpy(src), torch.from_numpy(tgt), tables.rows(src, tgt), given)


def _padded(factors: Sequence[np.ndarray | None], n: int, m: int) -> Tensor:
    """(B, n, m); 1 where a pair ends, and where it has none."""
    padded = np.ones((len(factors), n, m), np.float16)
    for row, given in zip(padded, factors, strict=True):
        if given is not None:
            row[: given.shape[0], : given.shape[1]] = given
    return torch.from_numpy(padded)


def both_directions(
    tables: Tables, batch: UnitBatch, counts: tuple[Tensor | None, Tensor | None] = (None, None)
) -> tuple[Posteriors, Posteriors]:
    """Posteriors of source places for each target unit (M, B, N), and of target places for each source unit (N, B, M).

    ``counts``: to which the expected jumps of each direction are added.
    """
    probabilities = tables.pairs.index_select(0, batch.rows.reshape(-1)).view(*batch.rows.shape, 2)
    if batch.factors is not None:
        probabilities = probabilities * batch.factors[..., None]
    src, tgt = batch.src >= 0, batch.tgt >= 0
    forward = posteriors(
        probabilities[..., 0].permute(2, 0, 1).contiguous(),
        tables.null[0][batch.tgt.T],  # -1 takes the last entry, padding's
        src.float(),
        tables.jumps[0],
        tgt.T,
        counts[0],
    )
    backward = posteriors(
        probabilities[..., 1].permute(1, 0, 2).contiguous(),
        tables.null[1][batch.src.T],
        tgt.float(),
        tables.jumps[1],
        src.T,
        counts[1],
    )
    return forward, backward
