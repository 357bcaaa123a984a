"""Batches of sentences of different lengths."""

import torch

from xalign_fairseq.statistical import batches as batching
from xalign_fairseq.statistical.batches import batches, both_directions
from xalign_fairseq.statistical.chain import first_jumps
from xalign_fairseq.statistical.tables import FIRST, first_tables

SRC = [["a", "b", "c"], ["a"], [], ["b", "c"], ["c", "a", "b", "a"]]
TGT = [["x", "y"], ["x", "y", "z"], ["x"], ["z"], ["y", "z"]]


def tables():
    torch.manual_seed(1)
    found = first_tables(SRC, TGT)
    found.pairs[FIRST:] = torch.rand_like(found.pairs[FIRST:])
    found.jumps = (first_jumps(), first_jumps())
    return found


def test_what_batches_a_pair_is_in_changes_nothing(monkeypatch):
    for cells in (1, 12, 1 << 17):
        monkeypatch.setattr(batching, "CELLS", cells)
        found = {}
        for batch in batches(tables(), SRC, TGT):
            forward, backward = both_directions(tables(), batch)
            for row, line in enumerate(batch.lines):
                n, m = len(SRC[line]), len(TGT[line])
                found[line] = forward.partner[:m, row, :n], backward.partner[:n, row, :m]
                assert forward.partner[:m, row, n:].sum() == 0
                assert ((forward.partner.sum(-1) + forward.alone)[:m, row] - 1).abs().max() < 1e-5
        assert sorted(found) == [0, 1, 3, 4]  # one side of the third is empty
        if cells == 1:
            alone = found
    for line, both in alone.items():
        for one, other in zip(both, found[line], strict=True):
            torch.testing.assert_close(one, other)


def test_pairs_that_are_too_long_are_left_out(monkeypatch):
    monkeypatch.setattr(batching, "MOST_CELLS", 6)
    assert sorted(line for batch in batches(tables(), SRC, TGT) for line in batch.lines) == [0, 1, 3]
