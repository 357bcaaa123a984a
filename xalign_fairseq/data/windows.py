"""Batches of an epoch that does not fit into memory, cut from one window of its draws at a time.

A window is a range of the epoch's draws, which are in random order. Within a window, lengths are sorted and batches cut
as in a whole epoch. fairseq needs the number of batches in advance. So each window has a fixed number, a few more than
the first window needs; some batches are halved to reach it. Short epochs with a given number of batches share a window,
because small windows would need many more batches.
"""

import logging
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from xalign_fairseq.core.errors import XalignError


def batch_ends(
    lengths: np.ndarray, max_tokens: int | None = None, max_sentences: int | None = None, multiple: int = 1
) -> np.ndarray:
    """The end of each batch: as many items as fit, as in fairseq's ``batch_by_size``.

    A batch of n items takes n times its longest item. If at least ``multiple`` items fit, their number is a multiple of
    it. The last items form a separate batch. ``lengths`` (N,) are tokens, none above ``max_tokens``.
    """
    ends, start = [], 0
    while start < len(lengths):
        most = len(lengths) - start
        if max_sentences:
            most = min(most, max_sentences)
        if max_tokens:
            most = min(most, max(max_tokens // max(int(lengths[start]), 1), 1))
            longest = np.maximum.accumulate(lengths[start : start + most])
            fits = int((longest * np.arange(1, most + 1) <= max_tokens).sum())
            most = max(fits, 1)
        start += most - most % multiple if most >= multiple else most
        ends.append(start)
    return np.array(ends, dtype=np.int64)


logger = logging.getLogger(__name__)

DRAWS = 1 << 18  # draws of a window, and of the longest epoch kept in memory
DEVIATIONS = 6  # margin of a window's number of batches above the expected number


@dataclass(frozen=True)
class Plan:
    """The numbers of an epoch's draws, batches and windows of (almost) equal size."""

    draws: int
    batches: int
    windows: int

    def draws_of(self, window: int) -> range:
        return self._part(self.draws, window)

    def batches_of(self, window: int) -> range:
        return self._part(self.batches, window)

    def window_of(self, batch: int) -> int:
        return ((batch + 1) * self.windows - 1) // self.batches

    def _part(self, total: int, window: int) -> range:
        return range(total * window // self.windows, total * (window + 1) // self.windows)


@dataclass(frozen=True)
class Pilot:
    """Statistics of the first window: draws, batches, and the deviation of a draw's tokens divided by their mean."""

    draws: int
    batches: int
    variation: float

    def plan(self, draws: int) -> Plan:
        """The plan of an epoch with this number of draws."""
        windows = -(-draws // DRAWS)
        batches = draws * self._each(draws / windows)
        return Plan(draws, math.ceil(batches) + windows, windows)

    def together(self, batches: int) -> int:
        """The number of epochs with this number of batches that share a window: all that fit into the first."""
        return max(1, self.batches // batches)

    def plan_of_batches(self, batches: int) -> Plan:
        """The plan of an epoch, or of epochs that share a window, with this number of batches."""
        draws = max(1, round(batches * self.draws / max(1, self.batches)))
        windows = -(-draws // DRAWS)
        return Plan(max(1, math.floor((batches - windows) / self._each(draws / windows))), batches, windows)

    def _each(self, window: float) -> float:
        """Batches per draw, estimated from above."""
        return max(1, self.batches) / self.draws * (1 + DEVIATIONS * self.variation / math.sqrt(window))


def brought_to(batches: Sequence[np.ndarray], count: int) -> list[np.ndarray]:
    """Exactly ``count`` batches: the largest are halved; if all have one sample, empty batches are added.

    If there are too many, the smallest are dropped and the log says so; :class:`Pilot` makes that improbable.
    """
    made = sorted(batches, key=len, reverse=True)
    if len(made) > count:
        left = sum(map(len, made[count:]))
        logger.warning("dropped %d samples of a window with %d batches, %d too many", left, count, len(made) - count)
        return made[:count]
    while len(made) < count:
        most = [each for each in made if len(each) > 1][: count - len(made)]
        if not most:
            return made + [np.zeros(0, dtype=np.int64)] * (count - len(made))
        halves = [half for each in most for half in (each[::2], each[1::2])]
        made = sorted([*halves, *made[len(most) :]], key=len, reverse=True)
    return made


def with_samples(batches: Iterable[np.ndarray]) -> np.ndarray:
    """The first batch with samples; it is repeated for a worker without a batch."""
    found = next((batch for batch in batches if len(batch)), None)
    if found is None:
        problem, parameter = "no batch of the epoch has a sample", ("epoch_updates", "batch_size", "max_tokens")
        raise XalignError(problem, parameter=parameter, expected="longer epochs, or batches of several samples")
    return found


class Windows(Sequence[np.ndarray]):
    """The batches of an epoch as a sequence, with one window in memory.

    ``cut`` returns the planned batches of a window, ``order`` their order from the window's number and their count.
    """

    def __init__(
        self, plan: Plan, cut: Callable[[int], list[np.ndarray]], order: Callable[[int, int], np.ndarray] | None = None
    ):
        self.plan, self._cut, self._order = plan, cut, order
        self._held: tuple[int, list[np.ndarray]] = (-1, [])

    def shuffled(self, seed: int, epoch: int, together: int = 1) -> "Windows":
        """The same batches in random order within each window; groups of this number of consecutive batches stay
        together."""

        def order(window: int, count: int) -> np.ndarray:
            groups = np.random.default_rng((seed, epoch, window)).permutation(-(-count // together))
            numbers = (groups[:, None] * together + np.arange(together)).ravel()
            return numbers[numbers < count]

        return Windows(self.plan, self._cut, order)

    def share(self, rank: int, world_size: int) -> "Picked":
        """Every ``world_size``-th batch, and an empty batch if other ranks have one more."""
        return Picked(self, range(rank, -(-len(self) // world_size) * world_size, world_size))

    def __len__(self) -> int:
        return self.plan.batches

    @overload
    def __getitem__(self, index: int) -> np.ndarray: ...
    @overload
    def __getitem__(self, index: slice) -> "Picked": ...
    def __getitem__(self, index: int | slice) -> "np.ndarray | Picked":
        if isinstance(index, slice):
            return Picked(self, range(len(self))[index])
        number = range(len(self))[index]
        window = self.plan.window_of(number)
        if self._held[0] != window:
            batches = self._cut(window)
            if self._order is not None:
                batches = [batches[i] for i in self._order(window, len(batches))]
            self._held = window, batches
        return self._held[1][number - self.plan.batches_of(window).start]


class Picked(Sequence[np.ndarray]):
    """Some batches of :class:`Windows`, such as those of one worker. Batches after the last one are empty."""

    def __init__(self, windows: Windows, numbers: range):
        self._windows, self._numbers = windows, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> np.ndarray: ...
    @overload
    def __getitem__(self, index: slice) -> "Picked": ...
    def __getitem__(self, index: int | slice) -> "np.ndarray | Picked":
        if isinstance(index, slice):
            return Picked(self._windows, self._numbers[index])
        number = self._numbers[index]
        return self._windows[number] if number < len(self._windows) else np.zeros(0, dtype=np.int64)
