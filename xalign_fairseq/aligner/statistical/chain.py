"""The hidden Markov model of one direction: which unit of one side each of the other comes from (Vogel et al., 1996).

The states are the places of one side, from 1 on. Each of them, and place 0 before the sentence, also has a state that
emits a unit without partner and keeps the place (Och and Ney, 2003).
"""

from typing import NamedTuple

import numpy as np

REACH = 60
"""Jumps of more than this number of places share a weight."""
NO_PARTNER = np.float32(0.1)
"""Probability that a unit has no partner; chosen on development gold from 0.05, 0.1, 0.2 and 0.3."""
SLOPE = 0.3
Array = np.ndarray


class Posteriors(NamedTuple):
    """``partner`` (M, B, N): of each place of the states' side; ``alone`` (M, B): without partner."""

    partner: Array
    alone: Array


def first_jumps() -> Array:
    """Initial weights (2 ``REACH`` + 1,) of jumps: one place ahead is the most probable."""
    return np.asarray(np.exp(-SLOPE * np.abs(np.arange(-REACH, REACH + 1) - 1.0)), np.float32)


def posteriors(
    emitted: Array, null: Array, real: Array, jumps: Array | None, valid: Array, counts: Array | None = None
) -> Posteriors:
    """Forward-backward over a batch, in the dtype of ``emitted``.

    Args:
        emitted: (M, B, N) probability of each observed unit by each state's unit; 1 by every real state where the
            observed side is padded, 0 by padded states.
        null: (M, B) probability of each observed unit without partner; 1 where padded.
        real: (B, N) which states are not padding.
        jumps: (2 ``REACH`` + 1,) weights of jumps; ``None`` is IBM Model 1: all places equal (Brown et al., 1993).
        valid: (M, B) which observed units are not padding.
        counts: (2 ``REACH`` + 1,) to which expected jumps are added.
    """
    if jumps is None:
        partner = emitted * ((1 - NO_PARTNER) / real.sum(1))[None, :, None]
        alone = NO_PARTNER * null
        whole = partner.sum(-1) + alone
        return Posteriors(partner / whole[..., None], alone / whole)
    length, batch, _ = emitted.shape
    emitted, real = np.pad(emitted, ((0, 0), (0, 0), (1, 0))), np.pad(real, ((0, 0), (1, 0)))
    places = np.arange(real.shape[1])
    steps = (places[None, :] - places[:, None]).clip(-REACH, REACH) + REACH
    weights = jumps[steps]  # (from, to)
    norm = (real @ weights.T).clip(1e-30)
    at = np.zeros((batch, len(places)), emitted.dtype)
    at[:, 0] = 1
    before, partners, alones = (np.empty((length, *at.shape), emitted.dtype) for _ in range(3))
    scales = np.empty((length, batch, 1), emitted.dtype)
    for j in range(length):
        before[j] = at
        partner = ((at / norm) @ weights) * emitted[j] * (1 - NO_PARTNER)
        alone = at * (NO_PARTNER * null[j])[:, None]
        scales[j] = (partner + alone).sum(-1, keepdims=True)
        partners[j], alones[j] = partner / scales[j], alone / scales[j]
        at = partners[j] + alones[j]
    after = np.ones_like(at)
    behind, arrivals = np.empty_like(before), np.empty_like(before)
    for j in range(length - 1, -1, -1):
        behind[j] = after
        arrivals[j] = emitted[j] * after * ((1 - NO_PARTNER) / scales[j])
        after = (arrivals[j] @ weights.T) / norm + after * (NO_PARTNER * null[j][:, None] / scales[j])
    if counts is not None:
        left = (before / norm).reshape(-1, len(places))
        right = (arrivals * valid[..., None]).reshape(-1, len(places))
        counts += np.bincount(steps.ravel(), (weights * (left.T @ right)).ravel(), len(counts))
    return Posteriors((partners * behind)[..., 1:], (alones * behind).sum(-1))
