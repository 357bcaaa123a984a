"""Polynomial hashes of token ids modulo 2^64, computed on the device of the tokens."""

import torch
from torch import Tensor

# An odd number, so that it has an inverse modulo 2^64 and its powers never become 0; its bits look random, so that
# small ids do not collide.
BASE = 0x9E3779B97F4A7C15
WORD = 1 << 64


def signed(number: int) -> int:
    """The int64 of the same bits."""
    return number - WORD if number >= WORD // 2 else number


def powers(base: int, count: int, device: torch.device) -> Tensor:
    """1, base, base^2 ... (count,) modulo 2^64, as the int64 of the same bits."""
    factors = torch.full((count,), signed(base), dtype=torch.int64, device=device)
    factors[:1].fill_(1)  # by an index, the number would be copied to the device and waited for
    return factors.cumprod(0)


def polynomial(tokens: Tensor, pad: int) -> Tensor:
    """sum_t (x_t + 1) B^(t + 1) modulo 2^64 of sentences (B, T) int64, whatever their padding: (B,) int64."""
    factors = powers(BASE, tokens.shape[1] + 1, tokens.device)[1:]
    return ((tokens + 1) * factors).masked_fill(tokens == pad, 0).sum(1)
