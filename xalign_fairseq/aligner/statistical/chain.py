"""The hidden Markov model of one direction: which unit of one side each of the other comes from (Vogel et al., 1996).

States are the places of one side, from 1 on, and for each of them, and for place 0 before the sentence, a state in
which a unit without partner is written and the place is kept (Och and Ney, 2003).
"""

from typing import NamedTuple

import torch
from torch import Tensor

REACH = 60
"""Jumps of more than so many places share a weight."""
NO_PARTNER = 0.1
"""Probability that a unit has no partner; chosen on development gold from 0.05, 0.1, 0.2 and 0.3."""
SLOPE = 0.3


class Posteriors(NamedTuple):
    """``partner`` (M, B, N): of each place of the states' side; ``alone`` (M, B): without partner."""

    partner: Tensor
    alone: Tensor


def first_jumps() -> Tensor:
    """Weights (2 ``REACH`` + 1,) of jumps before any is seen: one place ahead is the likeliest."""
    return torch.exp(-SLOPE * (torch.arange(-REACH, REACH + 1) - 1.0).abs())


def posteriors(
    emitted: Tensor, null: Tensor, real: Tensor, jumps: Tensor | None, valid: Tensor, counts: Tensor | None = None
) -> Posteriors:
    """Forward-backward over a batch.

    Args:
        emitted: (M, B, N) probability of each observed unit by each state's unit; 1 by every real state where the
            observed side is padded, 0 by padded states.
        null: (M, B) probability of each observed unit without partner; 1 where padded.
        real: (B, N) which states are not padding.
        jumps: (2 ``REACH`` + 1,) weights of jumps; ``None`` is IBM Model 1: every place alike (Brown et al., 1993).
        valid: (M, B) which observed units are not padding.
        counts: (2 ``REACH`` + 1,) to which expected jumps are added.

    Example::

        posteriors(emitted, null, real, None, valid).partner.sum(-1)  # at most 1
    """
    if jumps is None:
        partner = emitted * ((1 - NO_PARTNER) / real.sum(1))[None, :, None]
        alone = NO_PARTNER * null
        whole = partner.sum(-1) + alone
        return Posteriors(partner / whole[..., None], alone / whole)
    length, batch, _ = emitted.shape
    emitted, real = torch.nn.functional.pad(emitted, (1, 0)), torch.nn.functional.pad(real, (1, 0))
    places = torch.arange(real.shape[1])
    steps = (places[None, :] - places[:, None]).clamp(-REACH, REACH) + REACH
    weights = jumps[steps]  # (from, to)
    norm = (real @ weights.T).clamp_min(1e-30)
    at = torch.zeros(batch, len(places))
    at[:, 0] = 1
    before, partners, alones, scales = [], [], [], []
    for j in range(length):
        before.append(at)
        partner = ((at / norm) @ weights) * emitted[j] * (1 - NO_PARTNER)
        alone = at * (NO_PARTNER * null[j])[:, None]
        scale = (partner + alone).sum(-1, keepdim=True)
        partner, alone = partner / scale, alone / scale
        at = partner + alone
        partners.append(partner)
        alones.append(alone)
        scales.append(scale)
    after = torch.ones(batch, len(places))
    afters, arrivals = [after] * length, [after] * length
    for j in range(length - 1, -1, -1):
        afters[j] = after
        arrivals[j] = emitted[j] * after * ((1 - NO_PARTNER) / scales[j])
        after = (arrivals[j] @ weights.T) / norm + after * (NO_PARTNER * null[j][:, None] / scales[j])
    behind = torch.stack(afters)
    if counts is not None:
        left = (torch.stack(before) / norm).reshape(-1, len(places))
        right = (torch.stack(arrivals) * valid[..., None]).reshape(-1, len(places))
        counts.index_add_(0, steps.reshape(-1), (weights * (left.T @ right)).reshape(-1))
    return Posteriors((torch.stack(partners) * behind)[..., 1:], (torch.stack(alones) * behind).sum(-1))
