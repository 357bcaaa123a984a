"""The sentence pairs for benchmark_sinkhorn.py: synthetic hidden states, both sides encoded in one sequence."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from xalign_fairseq.transport.similarity import side_positions

WIDTH = 768
NORM = 20.0  # of every hidden state, about that of XLM-R
SHORTEST = 4  # tokens of a ragged side
RATIOS = (0.7, 1.4)  # lengths of a ragged pair's sides
LIKENESS = 0.1  # similarity of a word to its translation, so small that some links are ambiguous
SEED = 1


class Size(NamedTuple):
    """The number of pairs in a batch and the tokens of each side (of the longest side if ragged)."""

    pairs: int
    tokens: int
    ragged: bool = False

    @property
    def name(self) -> str:
        """A short name, for tables."""
        return f"{SHORTEST} to {self.tokens}" if self.ragged else f"n = {self.tokens}"


LARGE = Size(2048, 64)  # as in training: hidden states larger than any cache


@dataclass(frozen=True)
class Problem:
    """A batch of pairs.

    Attributes:
        hidden: (B, T, H), of sequences ``<s> src </s> tgt </s>``.
        spans: (B, 4) int64, [src_start, src_end, tgt_start, tgt_end).
        sizes: (n, m), the longest sides.
        src, tgt: (B, n, H) and (B, m, H), the sides cut out and padded with zeros, as dense solvers need them.
        src_mask, tgt_mask: (B, n) and (B, m) bool.
    """

    hidden: Tensor
    spans: Tensor
    sizes: tuple[int, int]
    src: Tensor
    tgt: Tensor
    src_mask: Tensor
    tgt_mask: Tensor


def make(size: Size, dtype: torch.dtype, device: str, width: int = WIDTH) -> Problem:
    """The batch of a size, the same in every process except for its dtype.

    Hidden states share a direction, like those of real encoders; a target token is a source token elsewhere, or none.
    """
    draw = torch.Generator().manual_seed(SEED)
    lengths = _lengths(size, draw)
    start = torch.stack([torch.ones(size.pairs, dtype=torch.long), lengths[:, 0] + 2], 1)
    spans = torch.stack([start, start + lengths], 2).flatten(1)
    hidden = _states(spans, draw, width).to(dtype).to(device)
    spans = spans.to(device)
    n, m = (int(longest) for longest in lengths.amax(0))
    (src, src_mask), (tgt, tgt_mask) = (_cut(hidden, spans, side, longest) for side, longest in ((0, n), (1, m)))
    return Problem(hidden, spans, (n, m), src, tgt, src_mask, tgt_mask)


def _lengths(size: Size, draw: torch.Generator) -> Tensor:
    """Tokens (B, 2) of the sides."""
    if not size.ragged:
        return torch.full((size.pairs, 2), size.tokens)
    src = torch.randint(SHORTEST, size.tokens + 1, (size.pairs,), generator=draw)
    low, high = RATIOS
    ratio = low + (high - low) * torch.rand(size.pairs, generator=draw)
    return torch.stack([src, (src * ratio).long().clamp(SHORTEST, size.tokens)], 1)


def _states(spans: Tensor, draw: torch.Generator, width: int) -> Tensor:
    batch, length = len(spans), int(spans[:, 3].max()) + 1
    common = torch.randn(width, generator=draw)
    states = torch.randn(batch, length, width, generator=draw)
    for row, (a, b, c, d) in zip(states, spans.tolist(), strict=True):
        order = torch.randperm(max(b - a, d - c), generator=draw)[: d - c]
        partner = order[order < b - a]
        row[c : c + len(partner)] += LIKENESS * row[a + partner]
    states += common
    return states * (NORM / states.norm(dim=2, keepdim=True))


def _cut(hidden: Tensor, spans: Tensor, side: int, longest: int) -> tuple[Tensor, Tensor]:
    positions, mask = side_positions(spans, side, longest)
    return hidden.gather(1, positions[:, :, None].expand(-1, -1, hidden.shape[2])) * mask[:, :, None], mask
