"""Links from a plan, or similarities in its place: argmax intersection, itermax (as released, as printed), union."""

import torch
from torch import Tensor

from xalign_fairseq.core.errors import check_values
from xalign_fairseq.transport.names import FILTERS


def check_link_options(filter: str, rounds: int, alpha: float) -> None:
    """Raise XalignError for the first invalid option of :func:`find_links`."""
    check_values(
        "an option of link extraction has an invalid value",
        ("filter", filter, filter in FILTERS, " or ".join(FILTERS)),
        ("rounds", rounds, rounds >= 1, "1 or more"),
        ("alpha", alpha, 0 < alpha <= 1, "above 0, at most 1"),
    )


def find_links(
    plan: Tensor, src_mask: Tensor, tgt_mask: Tensor, *, filter: str = "itermax", rounds: int = 2, alpha: float = 0.9
) -> Tensor:
    r"""Links of each pair of a batch from its transport plan A.

    Forward links are the argmax of each row, backward links the argmax of each column (XLM-Align, Chi et al., 2021, Eq.
    7).

    - ``argmax``: forward and backward at once (one round of Eq. 8).
    - ``itermax``: the released code's rule, SimAlign's (Jalili Sabet et al., 2020): argmax, then ``rounds - 1``
      further rounds on A with weight 1 where both tokens are free, ``alpha`` where one is linked, 0 where both are.
      Weights always apply to the original A. Pairs with at most two tokens on a side, or with a fully linked side, have
      no further round.
    - ``itermax-paper``: Eq. 8 and 9, ``rounds`` rounds; after each, A becomes 0 at the links so far and is multiplied
      by ``alpha`` in the rest of their rows and columns, in place, so that discounts compound.
    - ``union``: forward or backward, no filter.

    Ties go to the lowest index. Only positive entries of A are links, so an all-zero plan has none. A pair with tokens
    on both sides and a usable plan always has a link; a pair without one had a non-finite similarity.

    Args:
        plan: (B, n, m), not negative, 0 outside the masks.
        src_mask: (B, n) bool.
        tgt_mask: (B, m) bool.
        filter: one of the above.
        rounds: of itermax and itermax-paper; 1 is argmax.
        alpha: the discount.

    Returns:
        (B, n, m) bool. Nothing is read back from the device. An invalid option is an :class:`XalignError`.
    """
    check_link_options(filter, rounds, alpha)
    if plan.numel() == 0:
        return torch.zeros_like(plan, dtype=torch.bool)
    if filter == "union":
        return _forward(plan) | _forward(plan.transpose(1, 2)).transpose(1, 2)
    links = _mutual(plan)
    if filter == "itermax":
        # Pairs that take no further round have no free token: all their weights are then 0.
        eligible = torch.minimum(src_mask.sum(1), tgt_mask.sum(1)) > 2
        for _ in range(rounds - 1):
            src_free = src_mask & ~links.any(2)
            tgt_free = tgt_mask & ~links.any(1)
            open_pairs = (eligible & src_free.any(1) & tgt_free.any(1))[:, None]
            # Weights 1, alpha or 0 for two, one or no free tokens.
            src, tgt = ((free & open_pairs).to(plan.dtype) for free in (src_free, tgt_free))
            weights = torch.where(src[:, :, None] > 0, (tgt + alpha * (1 - tgt))[:, None], (alpha * tgt)[:, None])
            links = links | _mutual(plan * weights)
    elif filter == "itermax-paper":
        for _ in range(rounds - 1):
            touched = links.any(2, keepdim=True) | links.any(1, keepdim=True)
            plan = torch.where(touched, plan * alpha, plan).masked_fill(links, 0.0)
            links = links | _mutual(plan)
    return links


def link_probability(plan: Tensor) -> Tensor:
    r"""Probability (B, n, m) of every token pair: the geometric mean of its forward and its backward probability.

    :math:`p_{ij} = A_{ij} / \sqrt{\sum_k A_{ik} \sum_k A_{kj}}`: the same for both orders of normalisation, 1 only if
    neither token has any other candidate. Rows and columns without mass give 0.
    """
    row, column = plan.sum(2, keepdim=True), plan.sum(1, keepdim=True)
    # Two square roots: the product of two small sums would underflow.
    norm = row.sqrt() * column.sqrt()
    return torch.where(norm > 0, plan / norm, 0.0).clamp_max(1.0)


def _forward(plan: Tensor) -> Tensor:
    best, j = plan.max(2, keepdim=True)
    return torch.zeros_like(plan, dtype=torch.bool).scatter_(2, j, best > 0)


def _mutual(plan: Tensor) -> Tensor:
    """Entries that are the argmax of their row and of their column."""
    forward = plan.max(2).indices  # max is several times faster than argmax on the CPU
    back = plan.max(1).indices.gather(1, forward)
    mutual = back == torch.arange(plan.shape[1], device=plan.device)
    forward = forward[:, :, None]
    mutual = mutual[:, :, None] & (plan.gather(2, forward) > 0)
    return torch.zeros_like(plan, dtype=torch.bool).scatter_(2, forward, mutual)
