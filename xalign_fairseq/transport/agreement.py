"""How both sides of a pair choose each other: softmaxes of their tokens' similarities, with a gradient."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.transport.precision import at_least_float32
from xalign_fairseq.transport.similarity import finite_pairs, pair_similarity


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
    hidden: Tensor,
    spans: Tensor,
    *,
    similarity: str = "cosine",
    temperature: float = 0.1,
    sizes: tuple[int, int] | None = None,
) -> Agreement:
    r"""Both sides' softmax over the tokens of the other side (Dou & Neubig 2021, Eq. 1).

    :math:`p_{ij} = \exp(S_{ij}/\tau) / \sum_k \exp(S_{ik}/\tau)`, and :math:`q_{ij}` the same over source tokens.

    Args:
        hidden: (B, T, H), any floating dtype; the gradient flows into it.
        spans: (B, 4) int64, [src start, src end, tgt start, tgt end).
        similarity: S, ``cosine`` or ``dot`` product.
        temperature: :math:`\tau`.
        sizes: (n, m), the longest sides; given, nothing is read back from the device.

    Example::

        found = agreement(hidden, spans)
        found.forward.exp()[0]  # (n, m): which target tokens each source token chooses
    """
    wide = at_least_float32(hidden)
    states = F.normalize(wide, dim=2) if similarity == "cosine" else wide
    scores, src_mask, tgt_mask = finite_pairs(*pair_similarity(states, spans, sizes=sizes))
    # Finite instead of -inf, which would make the gradient of padding NaN.
    scores = (scores / temperature).masked_fill(
        ~(src_mask[:, :, None] & tgt_mask[:, None, :]), torch.finfo(scores.dtype).min
    )
    return Agreement(scores.log_softmax(2), scores.log_softmax(1), src_mask, tgt_mask)
