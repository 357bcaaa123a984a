from dataclasses import replace

import numpy as np

from xalign_fairseq.aligner.statistical import reference
from xalign_fairseq.aligner.statistical.sentences import cell_starts, cut_words, number_words, unit_text
from xalign_fairseq.aligner.statistical.tables import FIRST, REACH, first_tables


def words_as_units(src, tgt):
    """A text, the distinct words of each side, and the start of each row of cells."""
    words = number_words(zip(src, tgt, strict=True))
    sides = [cut_words(side, [[number] for number in range(len(side.different))]) for side in words]
    return unit_text(*sides), [side.different for side in words], cell_starts(words)


def tables_of(src, tgt):
    """First tables of a text whose words are its units."""
    text, units, _ = words_as_units(src, tgt)
    src, tgt = ({unit: number for number, unit in enumerate(side)} for side in units)
    return first_tables(src, tgt, *reference.seen_pairs(text, (len(src), len(tgt))))


def drawn(tables, seed, jumps):
    """Tables with other probabilities."""
    draw = np.random.default_rng(seed)
    pairs = tables.pairs.copy()
    pairs[FIRST:] = draw.random((len(pairs) - FIRST, 2)) ** 4
    null = tuple(np.append(draw.random(len(each) - 1), 1).astype(np.float32) for each in tables.null)
    weights = draw.random((2, 2 * REACH + 1)).astype(np.float32)
    return replace(tables, pairs=pairs, null=null, jumps=tuple(weights) if jumps else (None, None))
