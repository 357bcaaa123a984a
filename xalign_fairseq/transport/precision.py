"""Sums of probabilities are computed in float32 at least."""

import torch
from torch import Tensor


def at_least_float32(scores: Tensor) -> Tensor:
    """Scores in float32 if they are narrower, unchanged otherwise."""
    return scores.to(torch.promote_types(scores.dtype, torch.float32))
