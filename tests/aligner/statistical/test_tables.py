"""Pairs of units, their rows, and what stands for padding."""

import numpy as np
import torch

from xalign_fairseq.aligner.statistical.tables import (
    FIRST,
    FLOOR,
    NO_SRC,
    NO_TGT,
    PADDED,
    UNSEEN,
    first_tables,
    pair_units,
)

SRC, TGT = [["a", "b"], ["a", "c"], []], [["x"], ["x", "y"], []]


def test_all_pairs_that_occur_each_as_likely():
    tables = first_tables(SRC, TGT)
    src, tgt = pair_units(tables)
    names = [("abc"[i], "xy"[j]) for i, j in zip(src.tolist(), tgt.tolist(), strict=True)]
    assert names == [("a", "x"), ("a", "y"), ("b", "x"), ("c", "x"), ("c", "y")]
    expected = [[1 / 2, 1 / 3], [1 / 2, 1 / 2], [1, 1 / 3], [1 / 2, 1 / 3], [1 / 2, 1 / 2]]
    torch.testing.assert_close(tables.pairs[FIRST:], torch.tensor(expected))
    torch.testing.assert_close(tables.null[0], torch.tensor([0.5, 0.5, FLOOR, 1.0]))
    assert len(tables.null[1]) == 5


def test_rows_of_pairs_padding_and_what_was_never_seen():
    tables = first_tables(SRC, TGT)
    src = np.array([[*tables.ids(["b", "a", "new"], 0), -1]])
    tgt = np.array([[*tables.ids(["y", "x", "new"], 1), -1]])
    rows = tables.rows(src, tgt)[0].tolist()
    assert rows == [
        [UNSEEN, FIRST + 2, UNSEEN, NO_TGT],
        [FIRST + 1, FIRST, UNSEEN, NO_TGT],
        [UNSEEN, UNSEEN, UNSEEN, NO_TGT],
        [NO_SRC, NO_SRC, NO_SRC, PADDED],
    ]
    assert tables.pairs[[PADDED, NO_SRC, NO_TGT]].tolist() == [[0, 0], [0, 1], [1, 0]]


def test_pruning_keeps_what_either_direction_gives_a_probability():
    tables = first_tables(SRC, TGT)
    tables.pairs[FIRST + 1] = torch.tensor([0.5, 1e-8])
    tables.pairs[FIRST + 3] = torch.tensor([1e-8, 1e-8])
    small = tables.pruned()
    assert small.keys.tolist() == [*tables.keys[:3], tables.keys[4]]
    assert torch.equal(small.pairs, tables.pairs[[*range(FIRST + 3), FIRST + 4]])
    assert small.rows(np.array([[2]]), np.array([[0]])).item() == UNSEEN
