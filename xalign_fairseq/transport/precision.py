"""Sums are computed in float32 at least: in half precision they overflow, or lose what is added last."""

import torch
from torch import Tensor


def at_least_float32(values: Tensor) -> Tensor:
    """The values in float32 if their dtype is narrower, unchanged otherwise."""
    return values.to(torch.promote_types(values.dtype, torch.float32))
