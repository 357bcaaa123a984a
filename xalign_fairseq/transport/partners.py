"""From partners, round by round as the fused operator finds them, to one label a token and to links."""

import torch
from torch import Tensor

from xalign_fairseq.transport.similarity import side_positions


def last_partners(partners: Tensor, *, one_sided: bool = False) -> Tensor:
    """The partner with the highest position of each token: labels (B, T), -1 without one.

    Args:
        partners: (R, B, T), absolute positions, -1 without a partner.
        one_sided: a link may stand at one of its two tokens alone, as those of ``union`` do.

    Example::

        last_partners(torch.tensor([[[3, -1, 0]], [[-1, -1, -1]]]))  # [[3, -1, 0]]
    """
    labels = partners.amax(0)
    if not one_sided:
        return labels
    length = labels.shape[1]
    at = torch.arange(length, device=labels.device, dtype=labels.dtype)
    for found in partners:
        # Whoever has no partner writes to an extra last column, which is cut off.
        whose = found.long().masked_fill(found < 0, length)
        room = torch.cat([labels, labels[:, :1]], 1)
        labels = room.scatter_reduce(1, whose, at.expand_as(found), "amax")[:, :length]
    return labels


def dense_links(
    partners: Tensor, probability: Tensor, spans: Tensor, sizes: tuple[int, int], *, one_sided: bool = False
) -> tuple[Tensor, Tensor]:
    """Links (B, n, m) bool and their probabilities (B, n, m), 0 elsewhere, counted from each side's first token.

    Args:
        partners, probability: (R, B, T).
        spans: (B, 4).
        sizes: n and m.
        one_sided: as in :func:`last_partners`.
    """
    links, shares = _of_side(partners, probability, spans, 0, sizes)
    if one_sided:
        back, back_shares = _of_side(partners, probability, spans, 1, sizes[::-1])
        links, shares = links | back.transpose(1, 2), torch.maximum(shares, back_shares.transpose(1, 2))
    return links, shares


def _of_side(
    partners: Tensor, probability: Tensor, spans: Tensor, side: int, sizes: tuple[int, int]
) -> tuple[Tensor, Tensor]:
    """The links that stand at the tokens of one side: (B, size, size of the other) twice."""
    size, other = sizes
    at, mask = side_positions(spans, side, size)
    rounds = at.expand(len(partners), -1, -1)
    found = partners.gather(2, rounds)
    # Tokens without a partner write to an extra last column, which is cut off.
    column = (found - spans[:, 2 * (1 - side), None]).masked_fill(~mask | (found < 0), other).permute(1, 2, 0)
    links = torch.zeros(*mask.shape, other + 1, dtype=torch.bool, device=partners.device)
    shares = probability.new_zeros(links.shape)
    links.scatter_(2, column, True)
    shares.scatter_(2, column, probability.gather(2, rounds).permute(1, 2, 0))
    return links[:, :, :other], shares[:, :, :other]
