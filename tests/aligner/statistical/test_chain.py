"""Posteriors of the hidden Markov model against all paths, one by one."""

import itertools

import numpy as np
import pytest

from xalign_fairseq.aligner.statistical.chain import NO_PARTNER, REACH, first_jumps, posteriors


def paths(emitted, null, jumps):
    """Posteriors of places (M, N) and of no partner (M,), and expected jumps, of one sentence by enumeration."""
    length, places = emitted.shape
    partner, alone, steps = np.zeros((length, places)), np.zeros(length), np.zeros(2 * REACH + 1)
    whole = 0.0
    for path in itertools.product(range(2 * places), repeat=length):
        at, probability, taken = -1, 1.0, []
        states = []
        for j, state in enumerate(path):  # the places, then for no partner a state for each
            if state < places:
                norm = sum(float(jumps[to - at + REACH]) for to in range(places))
                probability *= (1 - NO_PARTNER) * float(jumps[state - at + REACH]) / norm * float(emitted[j, state])
                taken.append(state - at + REACH)
                at = state
                states.append(state)
            else:
                if state > places:  # one way alone to have no partner: the place is kept
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


@pytest.mark.parametrize("jumps", [None, first_jumps()])
def test_padding_changes_nothing(jumps):
    draw = np.random.default_rng(1)
    emitted, null = draw.random((3, 1, 2)), draw.random((3, 1))
    padded = np.zeros((5, 1, 4))
    padded[:3, :, :2] = emitted
    padded[3:, :, :2] = 1
    counts, more = np.zeros(2 * REACH + 1), np.zeros(2 * REACH + 1)
    alone = posteriors(emitted, null, np.ones((1, 2)), jumps, np.ones((3, 1)), counts)
    found = posteriors(
        padded,
        np.concatenate((null, np.ones((2, 1)))),
        np.array([[1.0, 1, 0, 0]]),
        jumps,
        np.array([1.0, 1, 1, 0, 0])[:, None],
        more,
    )
    np.testing.assert_allclose(found.partner[:3, :, :2], alone.partner)
    np.testing.assert_allclose(found.alone[:3], alone.alone)
    assert found.partner[..., 2:].sum() == 0
    np.testing.assert_allclose(more, counts)


def test_posteriors_of_a_unit_sum_to_one_over_a_long_sentence():
    draw = np.random.default_rng(2)
    emitted, null = (draw.random(shape).astype(np.float32) for shape in ((150, 1, 120), (150, 1)))
    found = posteriors(1e-9 * emitted, null, np.ones((1, 120), np.float32), first_jumps(), np.ones((150, 1)))
    np.testing.assert_allclose(found.partner.sum(-1) + found.alone, 1, rtol=1e-5)
