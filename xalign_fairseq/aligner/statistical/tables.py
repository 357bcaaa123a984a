"""The parameters of one kind of units: probabilities of unit pairs in both directions and of jumps; guiding factors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from xalign_fairseq.aligner.statistical.sentences import starts_of

REACH = 60
"""Jumps of more than this number of places share a weight."""
NO_PARTNER = np.float32(0.1)
"""Probability that a unit has no partner; chosen on development gold from 0.05, 0.1, 0.2 and 0.3."""
SLOPE = 0.3
Array = np.ndarray


class Posteriors(NamedTuple):
    """``partner`` (M, B, N): of each position on the states' side; ``alone`` (M, B): without partner."""

    partner: Array
    alone: Array


def first_jumps() -> Array:
    """Initial weights (2 ``REACH`` + 1,) of jumps: one position ahead is the most probable."""
    return np.asarray(np.exp(-SLOPE * np.abs(np.arange(-REACH, REACH + 1) - 1.0)), np.float32)


def posteriors(
    emitted: Array, null: Array, real: Array, jumps: Array | None, valid: Array, counts: Array | None = None
) -> Posteriors:
    """Posteriors of states by forward-backward over a batch, in the dtype of ``emitted``.

    Args:
        emitted: (M, B, N) probability of each observed unit given each state; 1 at padded units, 0 at padded states.
        null: (M, B) probability of each observed unit without partner; 1 where padded.
        real: (B, N) which states are not padding.
        jumps: (2 ``REACH`` + 1,) weights; ``None``: all positions equal, IBM Model 1 (Brown et al., 1993).
        valid: (M, B) which observed units are not padding.
        counts: (2 ``REACH`` + 1,) array that expected jumps are added to.
    """
    if jumps is None:
        partner = emitted * ((1 - NO_PARTNER) / real.sum(1))[None, :, None]
        alone = NO_PARTNER * null
        whole = partner.sum(-1) + alone
        return Posteriors(partner / whole[..., None], alone / whole)
    length, batch, _ = emitted.shape
    emitted, real = np.pad(emitted, ((0, 0), (0, 0), (1, 0))), np.pad(real, ((0, 0), (1, 0)))
    places = np.arange(real.shape[1])
    steps = (places[None, :] - places[:, None]).clip(-REACH, REACH) + REACH
    weights = jumps[steps]  # (from, to)
    norm = (real @ weights.T).clip(1e-30)
    at = np.zeros((batch, len(places)), emitted.dtype)
    at[:, 0] = 1
    before, partners, alones = (np.empty((length, *at.shape), emitted.dtype) for _ in range(3))
    scales = np.empty((length, batch, 1), emitted.dtype)
    for j in range(length):
        before[j] = at
        partner = ((at / norm) @ weights) * emitted[j] * (1 - NO_PARTNER)
        alone = at * (NO_PARTNER * null[j])[:, None]
        scales[j] = (partner + alone).sum(-1, keepdims=True)
        partners[j], alones[j] = partner / scales[j], alone / scales[j]
        at = partners[j] + alones[j]
    after = np.ones_like(at)
    behind, arrivals = np.empty_like(before), np.empty_like(before)
    for j in range(length - 1, -1, -1):
        behind[j] = after
        arrivals[j] = emitted[j] * after * ((1 - NO_PARTNER) / scales[j])
        after = (arrivals[j] @ weights.T) / norm + after * (NO_PARTNER * null[j][:, None] / scales[j])
    if counts is not None:
        left = (before / norm).reshape(-1, len(places))
        right = (arrivals * valid[..., None]).reshape(-1, len(places))
        counts += np.bincount(steps.ravel(), (weights * (left.T @ right)).ravel(), len(counts))
    return Posteriors((partners * behind)[..., 1:], (alones * behind).sum(-1))


LEAST, POWER = 0.1, 2
"""Chosen on development gold of en-cs, en-es, en-fr and en-hi, from 0.02, 0.05, 0.1 and 0.2, and 0.5, 1 and 2."""
Guide = Callable[[int], np.ndarray | None]
"""Line -> scores from 0 to 1 of a pair's words (of the source, of the target); ``None``: no scores."""


class Factors(NamedTuple):
    """Factors of pairs of words, float32: line k has ``values[cells[k]:cells[k + 1]]``."""

    values: np.ndarray
    cells: np.ndarray
    words: np.ndarray

    def of(self, line: int) -> np.ndarray:
        """The factors of a line: (words of the source, words of the target)."""
        return self.values[self.cells[line] : self.cells[line + 1]].reshape(-1, max(1, int(self.words[line])))


def word_factors(guide: Guide | None, cells: np.ndarray, words: np.ndarray) -> Factors | None:
    """Factors :math:`(s(u, v) + 0.1)^2` of words, line k's at ``cells[k]``; 1 in lines without guidance."""
    if guide is None:
        return None
    values = np.ones(cells[-1], np.float32)
    for line in range(len(cells) - 1):
        scores = guide(line)
        if scores is not None:
            values[cells[line] : cells[line + 1]] = ((scores + LEAST) ** POWER).ravel()
    return Factors(values, cells, words)


# Rows of probabilities without a pair: both sides padded, one side padded, unseen pair.
PADDED, NO_SRC, NO_TGT, UNSEEN, FIRST = range(5)
WITHOUT_PAIR = ((0, 0), (0, 1), (1, 0), (1e-9, 1e-9))
FLOOR = 1e-9
WORTH_KEEPING = 1e-6


@dataclass(frozen=True)
class Tables:
    """Probabilities of pairs of units, units without partner, and jumps; all float32.

    Args:
        src: units of the source by their id; ``len(src)`` is the id of an unknown one.
        tgt: units of the target.
        starts: (``len(src)`` + 1,) the start of each source unit's pairs.
        targets: (P,) the target unit of each pair seen, ascending for each source unit.
        pairs: (``FIRST`` + P, 2), probability of the target unit given the source unit, and the reverse.
        null: probabilities without partner, of target units, then of source units; the last two entries: unknown,
            padding.
        jumps: weights over source positions, then over target positions; ``None``: not learned yet.
    """

    src: dict[str, int]
    tgt: dict[str, int]
    starts: np.ndarray
    targets: np.ndarray
    pairs: np.ndarray
    null: tuple[np.ndarray, np.ndarray]
    jumps: tuple[np.ndarray | None, np.ndarray | None] = (None, None)

    @property
    def sources(self) -> np.ndarray:
        """(P,) the source unit of each pair."""
        return np.repeat(np.arange(len(self.src), dtype=np.int32), np.diff(self.starts))

    @property
    def keys(self) -> np.ndarray:
        """(P,) ascending: source id times ``len(tgt) + 1`` plus target id."""
        return np.asarray(self.sources.astype(np.int64) * (len(self.tgt) + 1) + self.targets)

    def ids(self, units: Sequence[str], side: int) -> list[int]:
        """Ids of units of the source (0) or the target (1)."""
        known = (self.src, self.tgt)[side]
        return [known.get(unit, len(known)) for unit in units]

    def pruned(self) -> "Tables":
        """The tables without pairs of negligible probability in both directions."""
        keep = np.any(self.pairs[FIRST:] > WORTH_KEEPING, axis=1)
        kept = np.concatenate((self.pairs[:FIRST], self.pairs[FIRST:][keep]))
        starts = starts_of(keep)[self.starts]
        return Tables(self.src, self.tgt, starts, self.targets[keep], kept, self.null, self.jumps)


def first_tables(src: dict[str, int], tgt: dict[str, int], starts: np.ndarray, targets: np.ndarray) -> Tables:
    """Tables of all unit pairs that occur in a sentence pair, uniform for each unit."""
    tables = Tables(src, tgt, starts, targets, empty_pairs(len(targets)), (_null(len(tgt)), _null(len(src))))
    for direction, given in enumerate((tables.sources, targets)):
        tables.pairs[FIRST:, direction] = 1 / np.bincount(given)[given]
    return tables


def empty_pairs(count: int) -> np.ndarray:
    """(``FIRST`` + ``count``, 2); the first rows are for padding and for unseen pairs."""
    pairs = np.empty((FIRST + count, 2), np.float32)
    pairs[:FIRST] = WITHOUT_PAIR
    return pairs


def _null(size: int) -> np.ndarray:
    return np.array([1 / size] * size + [FLOOR, 1.0], np.float32)
