"""What a model of one kind of units knows: the probabilities of pairs of units in both directions, and of jumps."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.aligner.statistical.chain import REACH

# Rows of the pairs' probabilities that are no pair: both sides padded, one of them, and a pair that was never seen.
PADDED, NO_SRC, NO_TGT, UNSEEN, FIRST = range(5)
FLOOR = 1e-9
WORTH_KEEPING = 1e-6


@dataclass
class Tables:
    """Probabilities of pairs of units, units without partner, and jumps.

    Args:
        src: units of the source by their id; ``len(src)`` is the id of an unknown one.
        tgt: units of the target.
        keys: (P,) ascending, source id times ``len(tgt) + 1`` plus target id, of the pairs seen.
        pairs: (``FIRST`` + P, 2), of the target unit by the source unit, and the other way.
        null: of target units, then of source units without partner; the last two entries: unknown, padding.
        jumps: over source places, then over target places; ``None``: not learned yet.
    """

    src: dict[str, int]
    tgt: dict[str, int]
    keys: np.ndarray
    pairs: Tensor
    null: tuple[Tensor, Tensor]
    jumps: tuple[Tensor | None, Tensor | None] = (None, None)

    def ids(self, units: Sequence[str], side: int) -> np.ndarray:
        """Ids of units of the source (0) or the target (1)."""
        known = (self.src, self.tgt)[side]
        return np.fromiter((known.get(unit, len(known)) for unit in units), np.int64, len(units))

    def rows(self, src: np.ndarray, tgt: np.ndarray) -> Tensor:
        """Rows (B, N, M) of ``pairs`` for ids (B, N) and (B, M), in which -1 is padding; int32."""
        wanted = src[:, :, None] * (len(self.tgt) + 1) + tgt[:, None, :]
        place = np.searchsorted(self.keys, wanted).clip(max=len(self.keys) - 1)
        found = np.where(self.keys[place] == wanted, place + FIRST, UNSEEN)
        no_src, no_tgt = (src < 0)[:, :, None], (tgt < 0)[:, None, :]
        found = np.where(no_src, np.where(no_tgt, PADDED, NO_SRC), np.where(no_tgt, NO_TGT, found))
        return torch.from_numpy(found.astype(np.int32))

    def pruned(self) -> "Tables":
        """Without the pairs that neither direction gives a probability worth keeping."""
        keep = (self.pairs[FIRST:] > WORTH_KEEPING).any(1)
        return Tables(
            self.src,
            self.tgt,
            self.keys[keep.numpy()],
            torch.cat((self.pairs[:FIRST], self.pairs[FIRST:][keep])),
            self.null,
            self.jumps,
        )


def first_tables(src: Sequence[Sequence[str]], tgt: Sequence[Sequence[str]]) -> Tables:
    """All pairs of units that occur in a pair of sentences, each as likely as the others of its unit.

    Args:
        src: units of the source sentences.
        tgt: units of the target sentences.

    Example::

        first_tables([["a", "b"]], [["x"]]).pairs[FIRST:]  # [[1, 1/2], [1, 1/2]]
    """
    known: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for units, side in zip(known, (src, tgt), strict=True):
        for sentence in side:
            for unit in sentence:
                units.setdefault(unit, len(units))
    sides = len(known[0]), len(known[1])
    tables = Tables(*known, np.zeros(0, np.int64), torch.zeros(0, 2), (torch.zeros(0), torch.zeros(0)))
    found: list[np.ndarray] = []
    waiting: list[np.ndarray] = []
    waiting_cells = 0
    for one, other in zip(src, tgt, strict=True):
        keys = tables.ids(one, 0)[:, None] * (sides[1] + 1) + tables.ids(other, 1)
        waiting.append(keys.ravel())
        waiting_cells += keys.size
        if waiting_cells > 1 << 24:  # so that repeated pairs take no memory
            found, waiting, waiting_cells = [np.unique(np.concatenate(found + waiting))], [], 0
    tables.keys = np.unique(np.concatenate([*found, *waiting]))
    tables.pairs = torch.empty(FIRST + len(tables.keys), 2)
    set_rows_without_pair(tables.pairs)
    for direction, (given, size) in enumerate(zip(pair_units(tables), sides, strict=True)):
        tables.pairs[FIRST:, direction] = 1 / torch.bincount(given, minlength=size)[given]
    null = [torch.full((size + 2,), 1 / size) for size in sides]
    for each in null:
        each[-2:] = torch.tensor([FLOOR, 1.0])
    tables.null = (null[1], null[0])
    return tables


def set_rows_without_pair(pairs: Tensor) -> None:
    """What stands for padding, so that it changes no probability, and for pairs never seen."""
    pairs[:FIRST] = torch.tensor([[0, 0], [0, 1], [1, 0], [FLOOR, FLOOR]])


def pair_units(tables: Tables) -> tuple[Tensor, Tensor]:
    """Source id (P,) and target id (P,) of each pair."""
    src, tgt = np.divmod(tables.keys, len(tables.tgt) + 1)
    return torch.from_numpy(src), torch.from_numpy(tgt)


def no_jumps() -> tuple[Tensor, Tensor]:
    """Two counts of jumps, of none."""
    return torch.zeros(2 * REACH + 1), torch.zeros(2 * REACH + 1)
