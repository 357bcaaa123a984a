import itertools
from dataclasses import replace

import numpy as np
import pytest
from support.units import tables_of

from xalign_fairseq.aligner.statistical.tables import (
    FIRST,
    FLOOR,
    NO_PARTNER,
    NO_SRC,
    NO_TGT,
    PADDED,
    REACH,
    posteriors,
    word_factors,
)

SRC, TGT = [["a", "b"], ["a", "c"], []], [["x"], ["x", "y"], []]


def test_all_seen_pairs_start_equally_likely():
    tables = tables_of(SRC, TGT)
    names = [("abc"[i], "xy"[j]) for i, j in zip(tables.sources, tables.targets, strict=True)]
    assert names == [("a", "x"), ("a", "y"), ("b", "x"), ("c", "x"), ("c", "y")]
    assert tables.keys.tolist() == [0, 1, 3, 6, 7]
    expected = [[1 / 2, 1 / 3], [1 / 2, 1 / 2], [1, 1 / 3], [1 / 2, 1 / 3], [1 / 2, 1 / 2]]
    np.testing.assert_allclose(tables.pairs[FIRST:], expected)
    np.testing.assert_allclose(tables.null[0], [0.5, 0.5, FLOOR, 1.0])
    assert len(tables.null[1]) == 5 and tables.ids(["b", "new"], 0) == [1, 3]
    assert tables.pairs[[PADDED, NO_SRC, NO_TGT]].tolist() == [[0, 0], [0, 1], [1, 0]]


def test_pruning_keeps_what_either_direction_gives_a_probability():
    tables = tables_of(SRC, TGT)
    pairs = tables.pairs.copy()
    pairs[FIRST + 1] = [0.5, 1e-8]
    pairs[FIRST + 3] = [1e-8, 1e-8]
    small = replace(tables, pairs=pairs).pruned()
    assert small.keys.tolist() == [*tables.keys[:3], tables.keys[4]]
    np.testing.assert_array_equal(small.pairs, pairs[[*range(FIRST + 3), FIRST + 4]])


def test_factors_of_words():
    scores = [np.array([[0.0, 1.0], [0.4, 0.0]]), None, np.zeros((0, 2))]
    factors = word_factors(scores.__getitem__, np.array([0, 4, 5, 5]), np.array([2, 1, 2]))
    # (0 + 0.1)^2, (1 + 0.1)^2 and (0.4 + 0.1)^2
    np.testing.assert_allclose(factors.of(0), [[0.01, 1.21], [0.25, 0.01]], rtol=1e-6)
    assert factors.of(1).tolist() == [[1.0]] and factors.of(2).shape == (0, 2)
    assert word_factors(None, np.array([0, 1]), np.array([1])) is None


def paths(emitted, null, jumps):
    """Posteriors of positions (M, N), no partner (M,), and expected jumps of a sentence, by enumeration."""
    length, places = emitted.shape
    partner, alone, steps = np.zeros((length, places)), np.zeros(length), np.zeros(2 * REACH + 1)
    whole = 0.0
    for path in itertools.product(range(2 * places), repeat=length):
        at, probability, taken = -1, 1.0, []
        states = []
        for j, state in enumerate(path):  # the positions, then a no-partner state for each
            if state < places:
                norm = sum(float(jumps[to - at + REACH]) for to in range(places))
                probability *= (1 - NO_PARTNER) * float(jumps[state - at + REACH]) / norm * float(emitted[j, state])
                taken.append(state - at + REACH)
                at = state
                states.append(state)
            else:
                if state > places:  # no partner in only one way: the position is kept
                    probability = 0.0
                probability *= NO_PARTNER * float(null[j])
                states.append(None)
        whole += probability
        for j, state in enumerate(states):
            if state is None:
                alone[j] += probability
            else:
                partner[j, state] += probability
        for step in taken:
            steps[step] += probability
    return partner / whole, alone / whole, steps / whole


@pytest.mark.parametrize(("length", "places"), [(1, 1), (1, 3), (3, 2), (4, 3)])
def test_all_paths(length, places):
    draw = np.random.default_rng(length)
    emitted, null, jumps = draw.random((length, places)), draw.random(length), draw.random(2 * REACH + 1)
    counts = np.zeros(2 * REACH + 1)
    found = posteriors(emitted[:, None], null[:, None], np.ones((1, places)), jumps, np.ones((length, 1)), counts)
    partner, alone, steps = paths(emitted, null, jumps)
    np.testing.assert_allclose(found.partner[:, 0], partner, atol=1e-6)
    np.testing.assert_allclose(found.alone[:, 0], alone, atol=1e-6)
    np.testing.assert_allclose(counts, steps, atol=1e-6)
