"""Sentences as arrays of numbers: the words of a text, each distinct word once, and their units."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import NamedTuple

import numpy as np

MOST_CELLS = 1 << 18
"""A sentence pair with more pairs of units is left out: 512 units per side."""
MOST_PLACES = 1 << 12
"""The limit of units on a side: every two units of a side have a jump, even if the other side is short."""


class Words(NamedTuple):
    """One side of a text: sentence k is ``items[starts[k]:starts[k + 1]]``, numbers of distinct words."""

    different: list[str]
    items: np.ndarray
    starts: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """(K,) words of each sentence."""
        return np.diff(self.starts)

    @property
    def counts(self) -> np.ndarray:
        """How often each distinct word occurs."""
        return np.bincount(self.items, minlength=len(self.different))


class UnitSide(NamedTuple):
    """One side in units: ids (U,), the word of each unit within its sentence (U,), and the start of each sentence."""

    ids: np.ndarray
    owners: np.ndarray
    starts: np.ndarray
    words: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """(K,) units of each sentence."""
        return np.diff(self.starts)


class UnitText(NamedTuple):
    """Both sides, and (K,) which pairs can be aligned: those neither empty nor too long."""

    sides: tuple[UnitSide, UnitSide]
    fits: np.ndarray


def number_words(pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> tuple[Words, Words]:
    """Both sides of a text; ids by first occurrence."""
    known = [defaultdict[str, int](count().__next__) for _ in range(2)]
    items, lengths = (array("i"), array("i")), (array("q"), array("q"))
    for pair in pairs:
        for ids, words, found, length in zip(known, pair, items, lengths, strict=True):
            found.extend(map(ids.__getitem__, words))
            length.append(len(words))
    src, tgt = (
        Words(list(ids), np.array(found, np.int32), starts_of(np.array(length, np.int64)))
        for ids, found, length in zip(known, items, lengths, strict=True)
    )
    return src, tgt


def starts_of(lengths: np.ndarray) -> np.ndarray:
    """(K + 1,) the starts of consecutive items of these lengths."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)))


def cut_words(words: Words, units: Sequence[Sequence[int]]) -> UnitSide:
    """Sentences in units, from the unit ids of each distinct word."""
    sizes = np.fromiter(map(len, units), np.int64, len(units))
    flat = np.fromiter(chain.from_iterable(units), np.int32, int(sizes.sum()))
    counts = sizes[words.items]
    ends = starts_of(counts)
    moves = np.repeat(starts_of(sizes)[words.items] - ends[:-1], counts)
    places = np.arange(len(words.items)) - np.repeat(words.starts[:-1], words.lengths)
    return UnitSide(
        flat[moves + np.arange(len(moves))],
        np.repeat(places, counts).astype(np.int32),
        ends[words.starts],
        words.lengths.astype(np.int32),
    )


def unit_text(src: UnitSide, tgt: UnitSide) -> UnitText:
    n, m = src.lengths, tgt.lengths
    return UnitText((src, tgt), (n * m > 0) & (n * m <= MOST_CELLS) & (np.maximum(n, m) <= MOST_PLACES))


def cell_starts(words: tuple[Words, Words]) -> np.ndarray:
    """(K + 1,) the start of each sentence pair's word pairs."""
    return starts_of(words[0].lengths * words[1].lengths)
