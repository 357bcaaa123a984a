"""The items of an epoch: temperature shares over groups, and permutations that need no memory.

Every draw is a pure function of (seed, epoch, position), so a resumed run sees the same draws as an uninterrupted one,
and a corpus of 10^8 pairs needs no array of that length.
"""

import math

import numpy as np

ROUNDS = 6
ROUNDING = 1e-6  # tolerance of a count of draws; n^(1/T) has a relative error of 10^-15
GOLDEN = (math.sqrt(5) - 1) / 2
CHUNK = 4096  # epochs counted at a time
BLOCK = 1 << 16  # positions permuted at a time: their keys take 3 MB


def temperature_shares(sizes: list[int], temperature: float) -> np.ndarray:
    """p_i = n_i^(1/T) / sum_j n_j^(1/T): T = 1 samples by size, a larger T favours small groups (alpha = 1/T in XLM and
    XLM-R).
    """
    logs = np.log(np.asarray(sizes, dtype=np.float64)) / temperature
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


def epoch_shares(total: int, shares: np.ndarray, visit: int) -> tuple[list[int], list[int]]:
    """Split ``total`` draws per epoch into integer counts by ``shares``: for epoch ``visit``, and summed over all
    earlier epochs.

    Each group gets the integer part of its share. Systematic sampling distributes the rest, with a start that moves by
    the golden ratio in each epoch. So over many epochs each group gets its share, even a fraction of a draw.

    Returns:
        the counts of the epoch, and its start: the sums of the counts of earlier epochs.
    """
    exact = total * shares
    exact = np.where(np.abs(exact - exact.round()) < ROUNDING, exact.round(), exact)
    whole = np.floor(exact).astype(np.int64)
    left = int(total - whole.sum())
    ends = np.cumsum(exact - whole)
    ends[-1] = left
    starts = visit * whole
    extra = np.zeros_like(whole)
    for first in range(0, visit + 1, CHUNK):
        begin = (0.5 + GOLDEN * np.arange(first, min(first + CHUNK, visit + 1))) % 1
        places = np.ceil(begin[:, None] + np.concatenate([[0.0], ends])).astype(np.int64)
        extras = np.diff(places)
        extra = extras[-1]
        starts += extras.sum(0)
    return (whole + extra).tolist(), (starts - extra).tolist()


def permute(positions: np.ndarray, size: int, keys: np.ndarray) -> np.ndarray:
    """A keyed pseudo-random permutation of ``range(size)``, evaluated at ``positions`` (N,) only.

    A Feistel network over the smallest even number of bits that holds ``size``; values outside are mapped again until
    they fall inside, so the map is one-to-one.

    Args:
        keys: of each round (ROUNDS, 1), or of each round and position (ROUNDS, N), uint64.
    """
    half = max(1, math.ceil(math.log2(max(size, 2)) / 2))
    mask = np.uint64((1 << half) - 1)
    shift = np.uint64(half)
    values = positions.astype(np.uint64)
    outside = np.ones(len(values), dtype=bool)
    while outside.any():
        left, right = values[outside] >> shift, values[outside] & mask
        for round_keys in keys:
            left, right = right, left ^ (_mix(right ^ round_keys) & mask)
        values[outside] = (left << shift) | right
        still = values[outside] >= size
        outside[outside] = still
        keys = keys if keys.shape[1] == 1 else keys[:, still]
    return values.astype(np.int64)


def _mix(values: np.ndarray) -> np.ndarray:
    """Scramble 64-bit values (multiply and shift, wrapping round)."""
    values = (values ^ (values >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(29))) * np.uint64(0xD6E8FEB86659FD93)
    return values ^ (values >> np.uint64(32))


def draw(size: int, start: int, count: int, key: tuple[int, ...]) -> np.ndarray:
    """Items ``start ... start + count`` of the endless stream over ``range(size)``, with a new order in each pass."""
    items = np.empty(count, dtype=np.int64)
    for first in range(0, count, BLOCK):
        positions = np.arange(start + first, start + min(first + BLOCK, count), dtype=np.int64)
        passes, numbers = np.unique(positions // size, return_inverse=True)
        seeds = [np.random.SeedSequence((*key, each)) for each in passes.tolist()]
        keys = np.stack([each.generate_state(ROUNDS, dtype=np.uint64) for each in seeds], axis=1)
        keys = keys if len(passes) == 1 else keys[:, numbers]
        items[first : first + BLOCK] = permute(positions % size, size, keys)
    return items


def repeats(items: np.ndarray) -> np.ndarray:
    """The number of earlier occurrences of each of ``items`` (N,): (N,) int64."""
    order = np.argsort(items, kind="stable")
    run = items[order]
    first = np.flatnonzero(np.r_[True, run[1:] != run[:-1]][: len(run)])
    counts = np.empty(len(items), dtype=np.int64)
    counts[order] = np.arange(len(run)) - np.repeat(first, np.diff(np.r_[first, len(run)]))
    return counts
