"""Expectation maximisation of both directions together, which agree (Liang et al., 2006)."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from xalign_fairseq.aligner.statistical.backend import backend
from xalign_fairseq.aligner.statistical.chain import first_jumps
from xalign_fairseq.aligner.statistical.reference import Counts
from xalign_fairseq.aligner.statistical.sentences import UnitSide, UnitText
from xalign_fairseq.aligner.statistical.tables import FIRST, FLOOR, Factors, Tables, empty_pairs, first_tables
from xalign_fairseq.core.errors import XalignError

PASSES = (4, 5)
"""Passes over the text: with equal places, then with jumps."""
ALONE, JUMP = 1e-3, 0.5  # added to the expected counts of units without partner, and of jumps


def learn(
    text: UnitText,
    units: Sequence[list[str]],
    progress: Callable[[int, int], object] | None = None,
    factors: Factors | None = None,
) -> Tables:
    """Tables from the units of a bitext; ``units`` in no pair that fits are left out."""
    if not text.fits.any():
        raise XalignError("there is no pair of sentences to learn from", expected="words on both sides")
    text, (src, tgt) = _used(text, units)
    tables = first_tables(src, tgt, *backend().seen_pairs(text, (len(src), len(tgt))))
    for number in range(sum(PASSES)):
        if number == PASSES[0]:
            tables = replace(tables, jumps=(first_jumps(), first_jumps()))
        tables = maximised(tables, backend().expected_counts(tables, text, factors))
        if progress:
            progress(number + 1, sum(PASSES))
    return tables.pruned()


def _used(text: UnitText, units: Sequence[list[str]]) -> tuple[UnitText, list[dict[str, int]]]:
    """The text with ids of the units in pairs that fit alone, and these units."""
    sides: list[UnitSide] = []
    known: list[dict[str, int]] = []
    for side, names in zip(text.sides, units, strict=True):
        used = np.zeros(len(names), bool)
        used[side.ids[np.repeat(text.fits, side.lengths)]] = True
        sides.append(side._replace(ids=(np.cumsum(used) - 1).astype(np.int32)[side.ids]))
        known.append({names[unit]: number for number, unit in enumerate(np.nonzero(used)[0].tolist())})
    return UnitText((sides[0], sides[1]), text.fits), known


def maximised(tables: Tables, counts: Counts) -> Tables:
    """Tables whose probabilities are shares of expected counts."""
    links = counts.links[FIRST:]
    by_src = np.add.reduceat(links, tables.starts[:-1]).clip(1e-30)
    by_tgt = np.bincount(tables.targets, links).clip(1e-30)
    pairs = empty_pairs(len(links))
    pairs[FIRST:, 0] = links / np.repeat(by_src, np.diff(tables.starts))
    pairs[FIRST:, 1] = links / by_tgt[tables.targets]
    np.maximum(pairs[FIRST:], np.float32(FLOOR), out=pairs[FIRST:])
    null = _null(counts.alone[0]), _null(counts.alone[1])
    if tables.jumps[0] is None:
        return replace(tables, pairs=pairs, null=null)
    return replace(
        tables, pairs=pairs, null=null, jumps=(_shares(counts.jumps[0], JUMP), _shares(counts.jumps[1], JUMP))
    )


def _null(alone: np.ndarray) -> np.ndarray:
    return np.append(_shares(alone[:-2], ALONE).clip(FLOOR), np.array([FLOOR, 1], np.float32))


def _shares(counts: np.ndarray, added: float) -> np.ndarray:
    return np.asarray((counts + added) / (counts + added).sum(), np.float32)
