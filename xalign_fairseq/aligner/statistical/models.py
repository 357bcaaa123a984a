"""Models of one text, each of other units, whose posteriors are averaged over words (cf. Asgari et al., 2020)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from xalign_fairseq.aligner.statistical.batches import batches, both_directions
from xalign_fairseq.aligner.statistical.guide import Guide, unit_factors
from xalign_fairseq.aligner.statistical.tables import Tables
from xalign_fairseq.aligner.statistical.units import Cutter

NAMES = ("prefix4", "unigram2000", "pieces2000", "pieces8000")
"""The units of an aligner; chosen on development gold."""
WordPairs = Sequence[tuple[Sequence[str], Sequence[str]]]


@dataclass(frozen=True)
class UnitModel:
    """Tables of one kind of units, and what cuts each side into them."""

    name: str
    cutters: tuple[Cutter, Cutter]
    tables: Tables

    def word_scores(self, pairs: WordPairs, guide: Guide | None = None) -> Iterator[tuple[int, np.ndarray]]:
        """Of each pair that fits, in any order: its number, and its scores (words of the source, of the target).

        The posterior of a unit's partners is summed over the units of a word, and averaged over those of the other;
        both directions' mean is the score. ``guide`` is of the same pairs.
        """
        src, tgt = ([cutter(pair[side]) for pair in pairs] for side, cutter in enumerate(self.cutters))
        units = [[sentence for sentence, _ in side] for side in (src, tgt)]
        owners = [[words for _, words in side] for side in (src, tgt)]
        for batch in batches(self.tables, units[0], units[1], unit_factors(guide, owners)):
            forward, backward = both_directions(self.tables, batch)
            for row, line in enumerate(batch.lines):
                of_src, of_tgt = (
                    _membership(sides[line][1], len(pairs[line][side])) for side, sides in enumerate((src, tgt))
                )
                n, m = of_src.shape[1], of_tgt.shape[1]
                to_src = of_src @ forward.partner[:m, row, :n].T.numpy() @ _mean(of_tgt).T
                to_tgt = _mean(of_src) @ backward.partner[:n, row, :m].numpy() @ of_tgt.T
                yield line, (to_src + to_tgt) / 2


def mean_scores(models: Iterable[UnitModel], pairs: WordPairs, guide: Guide | None = None) -> list[np.ndarray | None]:
    """The mean of the models' scores of each pair; ``None`` where a pair is too long for one of them.

    A pair with an empty side has scores without rows or columns. ``guide`` is of the same pairs.

    Example::

        [scores] = mean_scores(models, [(["das", "Haus"], ["the", "house"])])  # (2, 2), from 0 to 1
    """
    sums: list[np.ndarray | None] = [np.zeros((len(src), len(tgt)), np.float32) for src, tgt in pairs]
    models = list(models)
    for model in models:
        scored = set()
        for line, scores in model.word_scores(pairs, guide):
            scored.add(line)
            if (total := sums[line]) is not None:
                total += scores / len(models)
        for line, (src, tgt) in enumerate(pairs):
            if src and tgt and line not in scored:
                sums[line] = None
    return sums


def _membership(owners: Sequence[int], words: int) -> np.ndarray:
    """(words, units): 1 where a unit is of a word."""
    return np.asarray(np.arange(words)[:, None] == np.asarray(owners)[None, :], np.float32)


def _mean(membership: np.ndarray) -> np.ndarray:
    return np.asarray(membership / membership.sum(1, keepdims=True).clip(min=1))  # an empty word has no unit
