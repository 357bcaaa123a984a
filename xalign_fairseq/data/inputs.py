"""Inputs of an encoder: tokens, with languages and positions if known."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.data.samples import EOS, PAD


@dataclass(frozen=True, eq=False)
class Input:
    """A batch of token sequences with what the encoder adds to their embeddings (Conneau & Lample 2019, Figure 1).

    Attributes:
        tokens: (B, T) int64, padded.
        languages: (B, T) or (B, 1) int64, rows of the encoder's language embeddings; encoders without any ignore it.
        positions: (B, T) int64, place of each token, from 0; None: the running number of tokens that are not padding.
        lengths: (B,) on the host, tokens of each sequence, with all padding at the end; None: unknown. The encoder then
            computes lengths on the CPU; other devices would have to wait, so they process padding like tokens.
        one_text: each sequence is one text, even with ``</s>`` inside; otherwise the part after the first ``</s>`` is a
            second text with BERT's token type 1.
    """

    tokens: Tensor
    languages: Tensor | None = None
    positions: Tensor | None = None
    lengths: np.ndarray | None = None
    one_text: bool = False


def as_input(given: Tensor | Input) -> Input:
    """Tokens (B, T) as an encoder's input; an input is returned unchanged."""
    return given if isinstance(given, Input) else Input(given)


def in_second_text(given: Input) -> Tensor:
    """(B, T) bool: the tokens after the first ``</s>`` of ``<s> a </s> b </s>``, padding included."""
    ends = given.tokens.eq(EOS)
    return (ends.cumsum(1) > ends) & (not given.one_text)


def in_target(spans: Tensor, length: int) -> Tensor:
    """(B, T) bool: the tokens of the target of ``<s> src </s> tgt </s>`` and its end; the rest is the source's."""
    return torch.arange(length, device=spans.device) >= spans[:, 2, None]


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
    factors[:1].fill_(1)  # indexing would copy the number to the device and wait
    return factors.cumprod(0)


def polynomial(tokens: Tensor) -> Tensor:
    """sum_t (x_t + 1) B^(t + 1) modulo 2^64 of sentences (B, T) int64, whatever their padding: (B,) int64."""
    factors = powers(BASE, tokens.shape[1] + 1, tokens.device)[1:]
    return ((tokens + 1) * factors).masked_fill(tokens == PAD, 0).sum(1)
