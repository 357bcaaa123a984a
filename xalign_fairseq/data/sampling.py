"""Which items an epoch sees: temperature shares over groups, and permutations that need no memory.

Every draw is a pure function of (seed, epoch, position), so a resumed run sees what the uninterrupted one would, and
a corpus of 10^8 pairs needs no array of its own length.
"""

import math

import numpy as np

from xalign_fairseq.errors import XalignError

ROUNDS = 6


def temperature_shares(sizes: list[int], temperature: float) -> np.ndarray:
    """p_i = n_i^(1/T) / sum_j n_j^(1/T): T = 1 samples by size, a larger T favours small groups (XLM; XLM-R's alpha).

    Example::

        temperature_shares([100, 100], 1.0)     # array([0.5, 0.5])
    """
    if temperature <= 0:
        raise XalignError(
            "the sampling temperature must be positive", found=temperature, expected="1 (by size) or more"
        )
    logs = np.log(np.asarray(sizes, dtype=np.float64)) / temperature
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


def apportion(total: int, shares: np.ndarray) -> np.ndarray:
    """Split ``total`` into whole counts in proportion to ``shares``, by largest remainder."""
    exact = total * shares
    counts = np.floor(exact).astype(np.int64)
    by_remainder = np.argsort(-(exact - counts), kind="stable")
    counts[by_remainder[: total - counts.sum()]] += 1
    return counts


def permute(positions: np.ndarray, size: int, key: tuple[int, ...]) -> np.ndarray:
    """A keyed pseudo-random permutation of ``range(size)``, evaluated at ``positions`` only.

    A Feistel network over the smallest even number of bits that holds ``size``; values that fall outside are walked
    on until they fall inside, so the map is one-to-one.

    Example::

        sorted(permute(np.arange(5), 5, key=(1, 2)))     # [0, 1, 2, 3, 4]
    """
    half = max(1, math.ceil(math.log2(max(size, 2)) / 2))
    mask = np.uint64((1 << half) - 1)
    shift = np.uint64(half)
    keys = np.random.SeedSequence(key).generate_state(ROUNDS, dtype=np.uint64)
    values = positions.astype(np.uint64)
    outside = np.ones(len(values), dtype=bool)
    while outside.any():
        left, right = values[outside] >> shift, values[outside] & mask
        for round_key in keys:
            left, right = right, left ^ (_mix(right ^ round_key) & mask)
        values[outside] = (left << shift) | right
        outside[outside] = values[outside] >= size
    return values.astype(np.int64)


def _mix(values: np.ndarray) -> np.ndarray:
    """Scramble 64-bit values (multiply and shift, wrapping round)."""
    values = (values ^ (values >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(29))) * np.uint64(0xD6E8FEB86659FD93)
    return values ^ (values >> np.uint64(32))


def draw(size: int, start: int, count: int, key: tuple[int, ...]) -> np.ndarray:
    """Items ``start ... start + count`` of the endless stream that runs through ``range(size)``, each pass anew.

    Example::

        sorted(draw(3, start=0, count=6, key=(1,)))      # [0, 0, 1, 1, 2, 2]
    """
    positions = np.arange(start, start + count, dtype=np.int64)
    items = np.empty(count, dtype=np.int64)
    for number in range(start // size, (start + count - 1) // size + 1 if count else 0):
        here = positions // size == number
        items[here] = permute(positions[here] - number * size, size, (*key, number))
    return items


def repeats(items: np.ndarray) -> np.ndarray:
    """How often each of ``items`` (N,) came before it: (N,) int64.

    Example::

        repeats(np.array([7, 5, 7, 7]))     # array([0, 0, 1, 2])
    """
    order = np.argsort(items, kind="stable")
    run = items[order]
    first = np.flatnonzero(np.r_[True, run[1:] != run[:-1]][: len(run)])
    counts = np.empty(len(items), dtype=np.int64)
    counts[order] = np.arange(len(run)) - np.repeat(first, np.diff(np.r_[first, len(run)]))
    return counts
