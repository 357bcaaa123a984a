"""Batches of sentences of different lengths."""

import numpy as np
import torch

from xalign_fairseq.aligner.statistical import batches as batching
from xalign_fairseq.aligner.statistical.batches import batches, both_directions, fits
from xalign_fairseq.aligner.statistical.chain import first_jumps
from xalign_fairseq.aligner.statistical.tables import FIRST, first_tables

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


def test_factors_are_of_their_own_pair_and_of_nothing_beyond_it(monkeypatch):
    def factors(line):
        return None if line == 1 else np.random.default_rng(line).random((len(SRC[line]), len(TGT[line])))

    for cells in (1, 1 << 17):
        monkeypatch.setattr(batching, "CELLS", cells)
        found = {}
        for batch in batches(tables(), SRC, TGT, factors):
            forward, backward = both_directions(tables(), batch)
            for row, line in enumerate(batch.lines):
                n, m = len(SRC[line]), len(TGT[line])
                found[line] = forward.partner[:m, row, :n], backward.partner[:n, row, :m]
                assert ((forward.partner.sum(-1) + forward.alone)[:, row] - 1).abs().max() < 1e-5
        if cells == 1:
            alone = found
    for line, both in alone.items():
        for one, other in zip(both, found[line], strict=True):
            torch.testing.assert_close(one, other)
    [plain] = [batch for batch in batches(tables(), SRC, TGT) if 1 in batch.lines]
    unguided = both_directions(tables(), plain)[0].partner[:3, plain.lines.index(1), :1]
    torch.testing.assert_close(found[1][0], unguided)
    assert not torch.allclose(found[0][0], both_directions(tables(), plain)[0].partner[:2, plain.lines.index(0), :3])


def test_pairs_that_are_too_long_are_left_out(monkeypatch):
    for most, value in (("MOST_CELLS", 6), ("MOST_PLACES", 3)):
        with monkeypatch.context() as patch:
            patch.setattr(batching, most, value)
            assert sorted(line for batch in batches(tables(), SRC, TGT) for line in batch.lines) == [0, 1, 3]


def test_a_long_side_is_too_long_beside_a_short_one():
    assert fits(["a"] * 512, ["x"] * 512) and fits(["a"], ["x"] * 4096)
    for sides in ((1, 4097), (4097, 1), (512, 513)):  # jumps between all places of a side are held
        assert not fits(*(["a"] * side for side in sides))
