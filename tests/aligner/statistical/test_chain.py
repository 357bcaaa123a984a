"""Posteriors of the hidden Markov model against all paths, one by one."""

import itertools

import pytest
import torch

from xalign_fairseq.aligner.statistical.chain import NO_PARTNER, REACH, first_jumps, posteriors


def paths(emitted, null, jumps):
    """Posteriors of places (M, N) and of no partner (M,), and expected jumps, of one sentence by enumeration."""
    length, places = emitted.shape
    partner, alone, steps = torch.zeros(length, places), torch.zeros(length), torch.zeros(2 * REACH + 1)
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
    torch.manual_seed(length)
    emitted, null = torch.rand(length, places), torch.rand(length)
    jumps = torch.rand(2 * REACH + 1)
    counts = torch.zeros(2 * REACH + 1)
    found = posteriors(emitted[:, None], null[:, None], torch.ones(1, places), jumps, torch.ones(length, 1), counts)
    partner, alone, steps = paths(emitted, null, jumps)
    torch.testing.assert_close(found.partner[:, 0], partner, atol=1e-6, rtol=1e-4)
    torch.testing.assert_close(found.alone[:, 0], alone, atol=1e-6, rtol=1e-4)
    torch.testing.assert_close(counts, steps, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("jumps", [None, first_jumps()])
def test_padding_changes_nothing(jumps):
    torch.manual_seed(1)
    emitted, null = torch.rand(3, 1, 2), torch.rand(3, 1)
    alone = posteriors(emitted, null, torch.ones(1, 2), jumps, torch.ones(3, 1))
    padded = torch.zeros(5, 1, 4)
    padded[:3, :, :2] = emitted
    padded[3:, :, :2] = 1
    counts, more = torch.zeros(2 * REACH + 1), torch.zeros(2 * REACH + 1)
    posteriors(emitted, null, torch.ones(1, 2), jumps, torch.ones(3, 1), counts)
    found = posteriors(
        padded,
        torch.cat((null, torch.ones(2, 1))),
        torch.tensor([[1.0, 1, 0, 0]]),
        jumps,
        torch.tensor([1.0, 1, 1, 0, 0])[:, None],
        more,
    )
    torch.testing.assert_close(found.partner[:3, :, :2], alone.partner)
    torch.testing.assert_close(found.alone[:3], alone.alone)
    assert found.partner[..., 2:].sum() == 0
    torch.testing.assert_close(more, counts)


def test_posteriors_of_a_unit_sum_to_one_over_a_long_sentence():
    torch.manual_seed(2)
    found = posteriors(
        1e-9 * torch.rand(150, 1, 120), torch.rand(150, 1), torch.ones(1, 120), first_jumps(), torch.ones(150, 1)
    )
    torch.testing.assert_close(found.partner.sum(-1) + found.alone, torch.ones(150, 1))
