"""Expectation maximisation of both directions at once, which learn from what both say (Liang et al., 2006)."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from xalign_fairseq.aligner.statistical.batches import UnitBatch, batches, both_directions, fits
from xalign_fairseq.aligner.statistical.chain import first_jumps
from xalign_fairseq.aligner.statistical.guide import Guide
from xalign_fairseq.aligner.statistical.tables import (
    FIRST,
    FLOOR,
    Tables,
    first_tables,
    no_jumps,
    pair_units,
    set_rows_without_pair,
)
from xalign_fairseq.core.errors import XalignError

PASSES = (4, 5)
"""Over the text: with every place alike, then with jumps."""
ALONE, JUMP = 1e-3, 0.5  # added to the expected counts of units without partner, and of jumps


def learn(
    src: Sequence[Sequence[str]],
    tgt: Sequence[Sequence[str]],
    progress: Callable[[int, int], object] | None = None,
    factors: Guide | None = None,
) -> Tables:
    """Tables from units of the sentences of a bitext.

    Args:
        src: units of the source sentences.
        tgt: units of the target sentences.
        progress: is told the number of passes done, and of all.
        factors: of the probabilities of each pair's units, from somebody who knows more than the text says.

    Raises:
        XalignError: no pair of sentences has units on both sides, and not too many.

    Example::

        tables = learn([["the", "house"], ["the"]], [["das", "haus"], ["das"]])
    """
    fitting = [pair for pair in zip(src, tgt, strict=True) if fits(*pair)]
    if not fitting:
        raise XalignError("there is no pair of sentences to learn from", expected="words on both sides")
    tables = first_tables(*(list(side) for side in zip(*fitting, strict=True)))
    text = list(batches(tables, src, tgt, factors))
    for number in range(sum(PASSES)):
        if number == PASSES[0]:
            tables = replace(tables, jumps=(first_jumps(), first_jumps()))
        tables = one_pass(tables, text)
        if progress:
            progress(number + 1, sum(PASSES))
    return tables.pruned()


def one_pass(tables: Tables, text: Sequence[UnitBatch]) -> Tables:
    r"""One pass of expectation and maximisation.

    The expected count of a link is the product of its posteriors in the two directions, and both directions take
    the same counts: :math:`c_{ij} = p(i | j) p(j | i)` (Liang et al., 2006, Eq. 7).
    """
    links = torch.zeros(len(tables.pairs))
    alone = [torch.zeros(len(null)) for null in tables.null]
    jumps = no_jumps()
    counts = jumps if tables.jumps[0] is not None else (None, None)
    for batch in text:
        forward, backward = both_directions(tables, batch, counts)
        agreed = forward.partner.permute(1, 2, 0) * backward.partner.permute(1, 0, 2)
        links.index_add_(0, batch.rows.reshape(-1), agreed.reshape(-1))
        for total, found, units in zip(alone, (forward, backward), (batch.tgt, batch.src), strict=True):
            total.index_add_(0, units.T.reshape(-1).remainder(len(total)), found.alone.reshape(-1))
    pairs = torch.empty_like(tables.pairs)
    set_rows_without_pair(pairs)
    for direction, units in enumerate(pair_units(tables)):
        whole = torch.zeros(int(units.max()) + 1).index_add_(0, units, links[FIRST:])
        pairs[FIRST:, direction] = (links[FIRST:] / whole.clamp_min(1e-30)[units]).clamp_min(FLOOR)
    null = _null(alone[0]), _null(alone[1])
    if counts[0] is None:
        return replace(tables, pairs=pairs, null=null)
    return replace(tables, pairs=pairs, null=null, jumps=(_shares(jumps[0], JUMP), _shares(jumps[1], JUMP)))


def _null(alone: Tensor) -> Tensor:
    return torch.cat((_shares(alone[:-2], ALONE).clamp_min(FLOOR), torch.tensor([FLOOR, 1.0])))


def _shares(counts: Tensor, added: float) -> Tensor:
    return (counts + added) / (counts + added).sum()
