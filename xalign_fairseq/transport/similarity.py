"""Similarity of the tokens of sentence pairs: dot products and cosines of their hidden states."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.precision import at_least_float32


def side_positions(spans: Tensor, side: int, size: int) -> tuple[Tensor, Tensor]:
    """Sequence positions (B, size) int64 of the tokens of side 0 or 1 and their mask; positions outside it are 0."""
    start, end = spans[:, 2 * side, None], spans[:, 2 * side + 1, None]
    positions = start + torch.arange(size, device=spans.device)
    mask = positions < end
    return positions * mask, mask


def side_sizes(spans: Tensor) -> tuple[int, int]:
    """The longest source and the longest target side of a batch; reads them back from the device."""
    if spans.shape[0] == 0:
        return 0, 0
    src, tgt = (spans[:, 1::2] - spans[:, 0::2]).amax(0).clamp_min(0).tolist()
    return src, tgt


def pair_similarity(
    hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    r"""Dot products between the source and the target tokens of each pair of a batch.

    :math:`S_{ij} = h_i^\top h_j`, the similarity inside Eq. 1 of XLM-Align (Chi et al., 2021), of hidden states from
    one joint encoding of both sides. For 16-bit input the products are accumulated and stored in float32, also inside
    autocast (a bfloat16 S changes links).

    Args:
        hidden: (B, T, H), any floating dtype.
        spans: (B, 4) int64, [src_start, src_end, tgt_start, tgt_end) in the sequence.
        sizes: (n, m), the longest sides; given, nothing is read back from the device.

    Returns:
        S (B, n, m) float32 (float64 for float64 input), 0 outside the masks; src_mask (B, n) and tgt_mask (B, m) bool.

    Raises:
        XalignError: the shapes do not fit.
    """
    return pair_products(hidden, hidden, spans, sizes=sizes)


def pair_products(
    src_states: Tensor, tgt_states: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Dot products as in :func:`pair_similarity`, with separate states for each side, both (B, T, H)."""
    if src_states.dim() != 3 or src_states.shape != tgt_states.shape or spans.shape != (src_states.shape[0], 4):
        found = f"{tuple(src_states.shape)}, {tuple(tgt_states.shape)}, {tuple(spans.shape)}"
        raise XalignError("hidden states and spans do not match", found=found, expected="(B, T, H), (B, 4)")
    n, m = side_sizes(spans) if sizes is None else sizes
    src_positions, src_mask = side_positions(spans, 0, n)
    tgt_positions, tgt_mask = side_positions(spans, 1, m)
    with torch.autocast(src_states.device.type, enabled=False):
        src, tgt = states_at(src_states, src_positions), states_at(tgt_states, tgt_positions)
        similarity = torch.bmm(at_least_float32(src), at_least_float32(tgt).transpose(1, 2))
    return similarity.masked_fill_(~(src_mask[:, :, None] & tgt_mask[:, None, :]), 0.0), src_mask, tgt_mask


def pair_cosines(hidden: Tensor, spans: Tensor, sizes: tuple[int, int] | None) -> tuple[Tensor, Tensor, Tensor]:
    """Cosines (B, n, m), 0 outside the masks, and the masks of pairs with finite states."""
    return finite_pairs(*pair_similarity(F.normalize(at_least_float32(hidden), dim=2), spans, sizes=sizes))


def finite_pairs(similarity: Tensor, src_mask: Tensor, tgt_mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The arguments, with empty masks and zeros for pairs whose similarities are not all finite (in place)."""
    finite = similarity.sum((1, 2)).isfinite()[:, None]
    return similarity.masked_fill_(~finite[:, :, None], 0.0), src_mask & finite, tgt_mask & finite


def states_at(hidden: Tensor, positions: Tensor) -> Tensor:
    """Hidden states (B, size, H) at positions (B, size)."""
    batch, length, width = hidden.shape
    # Selecting from the flattened batch is the fastest gather on the CPU, also for its gradient.
    flat = positions + length * torch.arange(batch, device=hidden.device)[:, None]
    return hidden.reshape(batch * length, width).index_select(0, flat.flatten()).view(*positions.shape, width)


class Agreement(NamedTuple):
    """Log-probabilities of a batch of pairs, float32 or float64; undefined outside the masks.

    Attributes:
        forward: (B, n, m), log p(j | i) of a target token for each source token; rows sum to 1.
        backward: (B, n, m), log q(i | j) of a source token for each target token; columns sum to 1.
        src_mask, tgt_mask: (B, n) and (B, m) bool; empty for a pair whose states are not finite.
    """

    forward: Tensor
    backward: Tensor
    src_mask: Tensor
    tgt_mask: Tensor

    @property
    def inside(self) -> Tensor:
        """(B, n, m) bool: both are tokens of the pair."""
        return self.src_mask[:, :, None] & self.tgt_mask[:, None, :]

    @property
    def lengths(self) -> tuple[Tensor, Tensor]:
        """n and m of each pair, (B,) int64."""
        return self.src_mask.sum(1), self.tgt_mask.sum(1)


def agreement(
    hidden: Tensor, spans: Tensor, *, temperature: float = 0.1, sizes: tuple[int, int] | None = None
) -> Agreement:
    r"""Both sides' softmax over the tokens of the other side (Dou & Neubig 2021, Eq. 1).

    :math:`p_{ij} = \exp(S_{ij}/\tau) / \sum_k \exp(S_{ik}/\tau)` of the cosines S, and :math:`q_{ij}` the same over
    source tokens.

    Args:
        hidden: (B, T, H), any floating dtype; the gradient flows into it.
        spans: (B, 4) int64, [src start, src end, tgt start, tgt end).
        temperature: :math:`\tau`.
        sizes: (n, m), the longest sides; given, nothing is read back from the device.
    """
    scores, src_mask, tgt_mask = pair_cosines(hidden, spans, sizes)
    # Finite: -inf would make the gradient of padding NaN.
    scores = (scores / temperature).masked_fill(
        ~(src_mask[:, :, None] & tgt_mask[:, None, :]), torch.finfo(scores.dtype).min
    )
    return Agreement(scores.log_softmax(2), scores.log_softmax(1), src_mask, tgt_mask)
