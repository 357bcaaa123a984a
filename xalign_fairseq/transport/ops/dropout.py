"""Dropout with cheap random numbers on a CPU: four decisions from 64 random bits, where torch draws one number each."""

import torch
import torch.nn.functional as F
from torch import Tensor

CHOICES = 2**16  # outcomes of a decision's bits


def dropout(x: Tensor, p: float, training: bool = True) -> Tensor:
    """y = x m / (1 - p), m = 0 with probability p, otherwise 1, for each element by itself (Srivastava et al. 2014).

    On a CPU p is rounded to a multiple of 1 / 65,536, there and in the factor, so that the mean of y is x; the
    generator is torch's own. Elsewhere, and where torch compiles, it is :func:`torch.nn.functional.dropout`.

    Args:
        x: any shape and floating dtype.
        p: from 0 to 1.
        training: nothing is dropped otherwise.
    """
    dropped = round(p * CHOICES)
    if not training or x.device.type != "cpu" or dropped in (0, CHOICES) or torch.compiler.is_compiling():
        return F.dropout(x, p, training)
    bits = torch.empty((x.numel() + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
    choices = bits.view(torch.int16)[: x.numel()].view(x.shape)
    kept = torch.ge(choices, dropped - CHOICES // 2, out=torch.empty(x.shape, dtype=x.dtype))
    return x * kept.mul_(CHOICES / (CHOICES - dropped))
