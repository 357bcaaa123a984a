"""Overlapping windows over a sentence pair that is longer than the encoder's positions."""

from dataclasses import dataclass

import numpy as np

# Each side gets at least this part of a joint window, unless it has fewer tokens.
LEAST_PART = 4


@dataclass(frozen=True)
class SideWindows:
    """Windows of equal length over one side of a pair, spread evenly from its first token to its last.

    Attributes:
        length: tokens in each window.
        starts: (K,) int64, first token of each.
        owners: (size,) int64, for each token the window in which it is furthest from an edge. If windows cover the same
            place, as over a short side, it is the window at the token's relative position, because there the other side
            fits best.
    """

    length: int
    starts: np.ndarray
    owners: np.ndarray

    @classmethod
    def spread(cls, size: int, length: int, count: int) -> "SideWindows":
        """``count`` windows of ``length`` over ``size`` tokens; consecutive ones overlap by half or more."""
        starts = np.linspace(0, size - length, count).round().astype(np.int64)
        places, first, repeated = np.unique(starts, return_index=True, return_counts=True)
        # Between the middles of two windows: from there on the second is the one with more around a token.
        borders = (places[1:] + places[:-1] + length - 1) / 2
        tokens = np.arange(size)
        place = np.searchsorted(borders, tokens, side="left")
        as_far_on = (tokens * (count - 1) / max(1, size - 1)).round().astype(np.int64)
        return cls(length, starts, as_far_on.clip(first[place], first[place] + repeated[place] - 1))

    def cut(self, ids: np.ndarray, window: int) -> np.ndarray:
        """The tokens of a window."""
        return ids[self.starts[window] : self.starts[window] + self.length]

    def owned(self, window: int) -> np.ndarray:
        """The tokens that take their states from a window, in ascending order."""
        return np.flatnonzero(self.owners == window)


def pair_windows(n: int, m: int, positions: int, encoding: str) -> tuple[SideWindows, SideWindows]:
    """Windows over n source and m target tokens; those of both sides advance together, by the same proportion.

    ``joint``: window k of both sides fits into one sequence, shared in proportion to their lengths (a short side gets
    at least a quarter, or is complete); ``separate``: each side has its own sequence.
    """
    alone = positions - 2
    lengths = (min(n, alone), min(m, alone)) if encoding == "separate" else _shares(n, m, positions - 3)
    # A step of half a window: all tokens but those at the ends have a quarter of a window on either side.
    steps = [-(-(size - length) // max(1, length // 2)) for size, length in zip((n, m), lengths, strict=True)]
    count = 1 + max(steps)
    src, tgt = (SideWindows.spread(size, length, count) for size, length in zip((n, m), lengths, strict=True))
    return src, tgt


def _shares(n: int, m: int, room: int) -> tuple[int, int]:
    """How many of n and m tokens a joint window holds, ``room`` in all."""
    if n > m:
        return _shares(m, n, room)[::-1]
    src = min(n, max(room * n // (n + m), room // LEAST_PART, 1))
    return src, min(m, room - src)
