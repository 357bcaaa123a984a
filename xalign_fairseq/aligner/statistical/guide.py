"""The encoder's scores of word pairs, as a factor of the probabilities of their units."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

LEAST, POWER = 0.1, 2
"""Chosen on development gold of en-cs, en-es, en-fr and en-hi, from 0.02, 0.05, 0.1 and 0.2, and 0.5, 1 and 2."""
Guide = Callable[[int], np.ndarray | None]
"""Line -> scores from 0 to 1 of a pair's words (of the source, of the target); ``None``: it has nothing to say."""


class Factors(NamedTuple):
    """Factors of pairs of words, float32: those of line k are ``values[cells[k]:cells[k + 1]]``."""

    values: np.ndarray
    cells: np.ndarray
    words: np.ndarray

    def of(self, line: int) -> np.ndarray:
        """(words of the source, words of the target)."""
        return self.values[self.cells[line] : self.cells[line + 1]].reshape(-1, max(1, int(self.words[line])))


def word_factors(guide: Guide | None, cells: np.ndarray, words: np.ndarray) -> Factors | None:
    r"""Factors :math:`(s(u, v) + 0.1)^2` of words; 1 in lines without guidance. ``cells``: where each line's begin."""
    if guide is None:
        return None
    values = np.ones(cells[-1], np.float32)
    for line in range(len(cells) - 1):
        scores = guide(line)
        if scores is not None:
            values[cells[line] : cells[line + 1]] = ((scores + LEAST) ** POWER).ravel()
    return Factors(values, cells, words)
