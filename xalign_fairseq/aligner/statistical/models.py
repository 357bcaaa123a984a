"""Models of one text with different units; their posteriors are averaged over words (cf. Asgari et al., 2020)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from xalign_fairseq.aligner.statistical.backend import backend
from xalign_fairseq.aligner.statistical.sentences import (
    UnitText,
    Words,
    cell_starts,
    cut_words,
    number_words,
    unit_text,
)
from xalign_fairseq.aligner.statistical.tables import Factors, Guide, Tables, word_factors
from xalign_fairseq.aligner.statistical.units import Units, cut_all
from xalign_fairseq.data.tokenizers.tokenizer import CACHED_WORDS

WordPairs = Sequence[tuple[Sequence[str], Sequence[str]]]


@dataclass(frozen=True)
class UnitModel:
    """Tables of one kind of units, and each side's function that cuts words into units."""

    name: str
    units: tuple[Units, Units]
    tables: Tables
    _known: list[dict[str, list[int]]] = field(default_factory=lambda: [{}, {}])

    def cut(self, words: tuple[Words, Words]) -> UnitText:
        """Cut both sides of a text into units; a limited number of words is cached."""
        src, tgt = (cut_words(numbers, self._ids(side, numbers.different)) for side, numbers in enumerate(words))
        return unit_text(src, tgt)

    def _ids(self, side: int, words: Sequence[str]) -> list[list[int]]:
        """The ids of each word's units."""
        known = self._known[side]
        if len(known) > CACHED_WORDS:
            self._known[side] = known = {}  # not emptied, because other threads may read it
        new = [word for word in words if word not in known]
        for word, cut in zip(new, cut_all(self.units[side], new), strict=True):
            known[word] = self.tables.ids(cut, side)
        return [known[word] for word in words]

    def add_scores(
        self, words: tuple[Words, Words], cells: np.ndarray, scores: np.ndarray, share: float, factors: Factors | None
    ) -> np.ndarray:
        """Add a share of all word pairs' scores, pair k's at ``cells[k]``; returns (K,) bool: the pairs that fit."""
        text = self.cut(words)
        backend().add_scores(self.tables, text, cells, scores, share, factors)
        return text.fits


def mean_scores(models: Iterable[UnitModel], pairs: WordPairs, guide: Guide | None = None) -> list[np.ndarray | None]:
    """The mean of the models' scores of each pair; ``None`` if the pair is too long for a model."""
    words = number_words(pairs)
    cells = cell_starts(words)
    factors = word_factors(guide, cells, words[1].lengths)
    scores, scored = np.zeros(cells[-1], np.float32), np.ones(len(pairs), bool)
    models = list(models)
    for model in models:
        scored &= model.add_scores(words, cells, scores, 1 / len(models), factors)
    shapes = zip(words[0].lengths.tolist(), words[1].lengths.tolist(), strict=True)
    return [
        scores[cells[line] : cells[line + 1]].reshape(shape) if scored[line] or 0 in shape else None
        for line, shape in enumerate(shapes)
    ]
