"""Attention of transformers' layers over sentences as this package has them: packed, or padded with a mask.

transformers hands queries, keys, values and a mask from its layers to a function that is registered by a name. Our
attention gets the sentences of a pass in place of the mask, which the layers pass on unchanged.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.packing import Packing, positions_of


@dataclass(eq=False)
class Surroundings:
    """The sentences of one pass, packed in a row or padded, as transformers' layers are run over them.

    Attributes:
        packing: of the inputs; None: one input with its padding.
        padding: (B, T) bool, True at padding; of packed sentences (1, N), False.
        positions: (B, T) or (1, N) int64, from 1 on; 0 at padding.
        longest: tokens of the longest sentence, or T.
    """

    packing: Packing | None
    padding: Tensor
    positions: Tensor
    longest: int
    _made: list[Any] = field(default_factory=list)

    @classmethod
    def of(cls, inputs: Sequence[Input], packing: Packing | None, pad: int) -> "Surroundings":
        """Facts about the inputs of a pass: several with a packing, otherwise one."""
        if packing is None:
            [given] = inputs
            return cls(None, given.tokens.eq(pad), positions_of(given, pad), given.tokens.shape[1])
        positions = packing.row([positions_of(given, pad) for given in inputs])[None]
        longest = packing.sentences.runs[-1][1] if packing.sentences.runs else 0
        return cls(packing, torch.zeros_like(positions, dtype=torch.bool), positions, longest)

    def batch(self, x: Tensor) -> Tensor:
        """Hidden states (N, H) or (B, T, H) as layers read them, (1, N, H) or (B, T, H)."""
        return x if self.packing is None else x[None]

    def row(self, x: Tensor) -> Tensor:
        """The inverse of :meth:`batch`."""
        return x if self.packing is None else x[0]

    def once(self, make: Callable[[], Any]) -> Any:
        """The result of the first call of ``make``."""
        if not self._made:
            self._made.append(make())
        return self._made[0]


NAME = "xalign_fairseq"  # of the function, in transformers' configurations


def register() -> None:
    """Make :func:`attend` known to transformers."""
    from transformers import AttentionInterface

    AttentionInterface.register(NAME, attend)


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Surroundings,
    dropout: float = 0.0,
    scaling: float | None = None,
    sliding_window: int | None = None,
    **others: Any,
) -> tuple[Tensor, None]:
    """softmax(scaling q k^T + bias) v within each sentence, between tokens that are near enough.

    Args:
        module: the layer's attention.
        query: (B, heads, T, d); packed sentences are one row, B = 1.
        key, value: the same, or of fewer heads, each of which serves several of the queries'.
        attention_mask: of the pass.
        dropout: of the weights.
        scaling: of the products; None: 1 / sqrt(d).
        sliding_window: tokens attend to those that are less than so far from them; None: to all of their sentence.
        others: may hold ``position_bias``, (1, heads, L, L), added to the products, by the places in a sentence; L is
            the longest's length.

    Returns:
        (B, T, heads, d), and None for weights that are not kept.
    """
    position_bias: Tensor | None = others.get("position_bias")
    usual = query.shape[-1] ** -0.5
    if scaling is not None and scaling != usual:
        query = query * (scaling / usual)
    shared = query.shape[1] // key.shape[1]
    if shared > 1:
        key, value = (part.repeat_interleave(shared, 1) for part in (key, value))
    if sliding_window is not None and attention_mask.longest <= sliding_window:
        sliding_window = None
    if attention_mask.packing is not None:
        q, k, v = (part[0].transpose(0, 1) for part in (query, key, value))  # (N, heads, d)
        sentences = attention_mask.packing.sentences
        if sliding_window is None and position_bias is None:
            return sentences.attend(q, k, v, dropout)[None], None
        return _by_length(sentences.runs, (q, k, v), dropout, sliding_window, position_bias)[None], None
    mask = _padding_mask(attention_mask.padding, sliding_window, position_bias)
    return _weighted(query, key, value, mask, dropout).transpose(1, 2), None


def near(length: int, sliding_window: int, device: torch.device) -> Tensor:
    """(length, length) bool: which tokens are less than ``sliding_window`` apart."""
    places = torch.arange(length, device=device)
    return (places[:, None] - places).abs() < sliding_window


def _by_length(
    runs: tuple[tuple[int, int], ...],
    parts: tuple[Tensor, Tensor, Tensor],
    dropout: float,
    sliding_window: int | None,
    bias: Tensor | None,
) -> Tensor:
    """Packed sentences, those of one length as a batch."""
    sizes = [count * length for count, length in runs]
    mixed = []
    for (count, length), *each in zip(runs, *(part.split(sizes) for part in parts), strict=True):
        q, k, v = (part.unflatten(0, (count, length)).transpose(1, 2) for part in each)
        mask = None if bias is None else bias[..., :length, :length]
        if sliding_window is not None and length > sliding_window:
            mask = _joined(near(length, sliding_window, q.device), mask)
        mixed.append(_weighted(q, k, v, mask, dropout).transpose(1, 2).flatten(0, 1))
    return torch.cat(mixed)


def _padding_mask(padding: Tensor, sliding_window: int | None, bias: Tensor | None) -> Tensor:
    """The mask of padded sentences (B, T): (B, 1, T, T) or a broadcastable shape, bool or added to the products."""
    mask = ~padding[:, None, None, :]
    if sliding_window is not None:
        length = padding.shape[1]
        # Every place sees itself: padding far from all tokens would otherwise give NaN.
        itself = torch.eye(length, dtype=torch.bool, device=padding.device)
        mask = mask & near(length, sliding_window, padding.device) | itself
    return _joined(mask, bias)


def _joined(allowed: Tensor, bias: Tensor | None) -> Tensor:
    """A bool mask, and the value that is added where it is true."""
    return allowed if bias is None else bias.masked_fill(~allowed, torch.finfo(bias.dtype).min)


def _weighted(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout: float) -> Tensor:
    if mask is not None and mask.is_floating_point():
        mask = mask.to(q.dtype)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=dropout)
