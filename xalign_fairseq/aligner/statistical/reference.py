"""A pass over a text in padded numpy batches: the reference for ``compiled.py``."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from xalign_fairseq.aligner.statistical.sentences import UnitSide, UnitText
from xalign_fairseq.aligner.statistical.tables import (
    FIRST,
    NO_SRC,
    NO_TGT,
    PADDED,
    REACH,
    UNSEEN,
    Factors,
    Posteriors,
    Tables,
    posteriors,
)

CELLS = 1 << 17
"""Pairs of places in a batch, padding included, unless one pair of sentences alone has more."""
SEEN_AT_ONCE = 1 << 24


class Counts(NamedTuple):
    """Expected counts, float64: of ``links``, of units ``alone`` (target, then source), and of ``jumps``."""

    links: np.ndarray
    alone: tuple[np.ndarray, np.ndarray]
    jumps: tuple[np.ndarray, np.ndarray]

    @classmethod
    def none(cls, tables: Tables) -> "Counts":
        first, second = (np.zeros(len(null)) for null in tables.null)
        jumps = np.zeros(2 * REACH + 1), np.zeros(2 * REACH + 1)
        return cls(np.zeros(len(tables.pairs)), (first, second), jumps)


class UnitBatch(NamedTuple):
    """Padded pairs (ids, -1 is padding) with (B, N, M) rows of the tables, and factors of their probabilities."""

    lines: list[int]
    src: np.ndarray
    tgt: np.ndarray
    rows: np.ndarray
    factors: np.ndarray | None


def seen_pairs(text: UnitText, sizes: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """``starts`` and ``targets`` of :class:`Tables`: all pairs of units that occur in a fitting sentence pair."""
    found: list[np.ndarray] = [np.zeros(0, np.int64)]
    cells = 0
    for line in np.nonzero(text.fits)[0]:
        src, tgt = (side.ids[side.starts[line] : side.starts[line + 1]] for side in text.sides)
        found.append((src[:, None].astype(np.int64) * sizes[1] + tgt).ravel())
        cells += found[-1].size
        if cells > SEEN_AT_ONCE:  # so that repeated pairs take no memory
            found, cells = [_different(np.concatenate(found))], 0
    keys = _different(np.concatenate(found))
    starts = np.searchsorted(keys, np.arange(sizes[0] + 1, dtype=np.int64) * sizes[1])
    return starts, (keys % sizes[1]).astype(np.int32)


def _different(keys: np.ndarray) -> np.ndarray:
    keys = np.sort(keys)  # numpy's unique uses hashing, six times slower
    return keys[np.diff(keys, prepend=-1) > 0]


def expected_counts(tables: Tables, text: UnitText, factors: Factors | None = None) -> Counts:
    r"""Expected counts of one pass over a text.

    A link's count is the product of its posteriors in both directions, and both directions use the same count:
    :math:`c_{ij} = p(i | j) p(j | i)` (Liang et al., 2006, Eq. 7).
    """
    counts = Counts.none(tables)
    for batch in batches(tables, text, factors):
        forward, backward = both_directions(tables, batch, counts.jumps)
        agreed = forward.partner.transpose(1, 2, 0) * backward.partner.transpose(1, 0, 2)
        np.add.at(counts.links, batch.rows.ravel(), agreed.ravel())
        for total, found, units in zip(counts.alone, (forward, backward), (batch.tgt, batch.src), strict=True):
            np.add.at(total, units.T.ravel(), found.alone.ravel())  # -1 is the last entry, for padding
    return counts


def add_scores(
    tables: Tables, text: UnitText, cells: np.ndarray, scores: np.ndarray, share: float, factors: Factors | None = None
) -> None:
    """Add a share of the scores of words: the mean of both directions' posteriors, pair k's at ``cells[k]``."""
    for batch in batches(tables, text, factors):
        forward, backward = both_directions(tables, batch)
        for row, line in enumerate(batch.lines):
            of_src, of_tgt = (_membership(side, line) for side in text.sides)
            n, m = of_src.shape[1], of_tgt.shape[1]
            to_src = of_src @ forward.partner[:m, row, :n].T @ _mean(of_tgt).T
            to_tgt = _mean(of_src) @ backward.partner[:n, row, :m] @ of_tgt.T
            scores[cells[line] : cells[line + 1]] += share * ((to_src + to_tgt) / 2).ravel()


def batches(tables: Tables, text: UnitText, factors: Factors | None = None) -> Iterator[UnitBatch]:
    """All pairs that fit, sorted by length."""
    n, m = (side.lengths for side in text.sides)
    lines = np.nonzero(text.fits)[0]
    keys = tables.keys
    group: list[int] = []
    widest = 0
    for line in lines[np.lexsort((m[lines], n[lines]))].tolist():
        cells = n[line] * max(widest, m[line]) * (len(group) + 1)  # source lengths ascend
        if group and cells > CELLS:
            yield _batch(tables, keys, text, group, factors)
            group, widest = [], 0
        group.append(line)
        widest = max(widest, m[line])
    if group:
        yield _batch(tables, keys, text, group, factors)


def _batch(tables: Tables, keys: np.ndarray, text: UnitText, lines: list[int], factors: Factors | None) -> UnitBatch:
    src, tgt = (np.full((len(lines), side.lengths[lines].max()), -1, np.int64) for side in text.sides)
    for ids, side in zip((src, tgt), text.sides, strict=True):
        for row, line in zip(ids, lines, strict=True):
            row[: side.lengths[line]] = side.ids[side.starts[line] : side.starts[line + 1]]
    padded = None
    if factors is not None:
        padded = np.ones((len(lines), src.shape[1], tgt.shape[1]), np.float32)
        for row, line in zip(padded, lines, strict=True):
            given = factors.of(line)[
                np.ix_(*(side.owners[side.starts[line] : side.starts[line + 1]] for side in text.sides))
            ]
            row[: given.shape[0], : given.shape[1]] = given
    return UnitBatch(lines, src, tgt, rows_of(tables, keys, src, tgt), padded)


def rows_of(tables: Tables, keys: np.ndarray, src: np.ndarray, tgt: np.ndarray) -> np.ndarray:
    """Rows (B, N, M) int32 of ``tables.pairs`` for ids (B, N) and (B, M); -1 is padding."""
    wanted = src[:, :, None] * (len(tables.tgt) + 1) + tgt[:, None, :]
    place = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
    found = np.where(keys[place] == wanted, place + FIRST, UNSEEN)
    no_src, no_tgt = (src < 0)[:, :, None], (tgt < 0)[:, None, :]
    found = np.where(no_src, np.where(no_tgt, PADDED, NO_SRC), np.where(no_tgt, NO_TGT, found))
    return np.asarray(found, np.int32)


def both_directions(
    tables: Tables, batch: UnitBatch, counts: tuple[np.ndarray | None, np.ndarray | None] = (None, None)
) -> tuple[Posteriors, Posteriors]:
    """Posteriors of each target unit's source (M, B, N) and the reverse (N, B, M); jumps are added to ``counts``."""
    probabilities = tables.pairs[batch.rows]
    if batch.factors is not None:
        probabilities = probabilities * batch.factors[..., None]
    forward, backward = (
        posteriors(
            np.ascontiguousarray(probabilities[..., side].transpose(axes)),
            tables.null[side][observed.T],  # -1 is the last entry, for padding
            (states >= 0).astype(np.float32),
            tables.jumps[side],
            (observed >= 0).T,
            counts[side],
        )
        for side, states, observed, axes in ((0, batch.src, batch.tgt, (2, 0, 1)), (1, batch.tgt, batch.src, (1, 0, 2)))
    )
    return forward, backward


def _membership(side: UnitSide, line: int) -> np.ndarray:
    """(words, units): 1 where a unit belongs to a word."""
    owners = side.owners[side.starts[line] : side.starts[line + 1]]
    return np.asarray(np.arange(side.words[line])[:, None] == owners[None, :], np.float32)


def _mean(membership: np.ndarray) -> np.ndarray:
    return np.asarray(membership / membership.sum(1, keepdims=True).clip(min=1))  # an empty word has no unit
