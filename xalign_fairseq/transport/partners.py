"""One label for each token, from links as matrices or from the partners that the fused operator finds in each round."""

from collections.abc import Sequence

import torch
from torch import Tensor

from xalign_fairseq.transport.similarity import side_positions

NO_PARTNER = -1
LONGEST_INT16 = torch.iinfo(torch.int16).max


def last_partners(partners: Tensor, *, one_sided: bool = False) -> Tensor:
    """The partner with the highest position of each token: labels (B, T), -1 without one.

    Args:
        partners: (R, B, T), absolute positions, -1 without a partner.
        one_sided: a link may be at only one of its two tokens, as those of ``union`` do.

    Example::

        last_partners(torch.tensor([[[3, -1, 0]], [[-1, -1, -1]]]))  # [[3, -1, 0]]
    """
    labels = partners[0] if len(partners) == 1 else partners.amax(0)
    if not one_sided:
        return labels
    length = labels.shape[1]
    at = torch.arange(length, device=labels.device, dtype=labels.dtype)
    for found in partners:
        # Tokens without a partner write to an extra last column, which is dropped.
        whose = found.long().masked_fill(found < 0, length)
        room = torch.cat([labels, labels[:, :1]], 1)
        labels = room.scatter_reduce(1, whose, at.expand_as(found), "amax")[:, :length]
    return labels


def partners_of_matrix(links: Tensor, spans: Tensor, length: int) -> Tensor:
    """Like :func:`last_partners`, (B, length), from links (B, n, m) bool."""
    dtype = label_dtype(length)
    batch, n, m = links.shape
    # Positions of padding go to an extra last column, which is dropped.
    labels = torch.full((batch, length + 1), NO_PARTNER, dtype=dtype, device=links.device)
    for side, size, other_size, sided in ((0, n, m, links), (1, m, n, links.transpose(1, 2))):
        if size == 0 or other_size == 0:
            continue
        other, _ = side_positions(spans, 1 - side, other_size)
        last = (sided * (other + 1)[:, None, :].to(dtype)).amax(2) - 1
        positions, mask = side_positions(spans, side, size)
        labels.scatter_(1, positions.masked_fill(~mask, length), last)
    return labels[:, :length].contiguous()


def matrix_of_partners(partners: Tensor, spans: Tensor, sizes: tuple[int, int], *, one_sided: bool = False) -> Tensor:
    """Links (B, n, m) bool from partners (R, B, T) as :func:`last_partners` takes them; ``sizes``: (n, m)."""
    matrix = _linked_side(partners, spans, sizes, 0)
    return matrix | _linked_side(partners, spans, sizes[::-1], 1).transpose(1, 2) if one_sided else matrix


def _linked_side(partners: Tensor, spans: Tensor, sizes: Sequence[int], side: int) -> Tensor:
    """Links (B, own, other) at the tokens of one side, of its own and the other side's longest sizes."""
    own, other = sizes
    at, mask = side_positions(spans, side, own)
    # Tokens without a partner write to an extra last column, which is dropped.
    matrix = torch.zeros(len(spans), own, other + 1, dtype=torch.bool, device=spans.device)
    for found in partners:
        partner = found.gather(1, at).long()
        column = torch.where(mask & (partner >= 0), partner - spans[:, 2 * (1 - side), None], other)
        matrix.scatter_(2, column[:, :, None], True)
    return matrix[:, :, :other]


def label_dtype(length: int) -> torch.dtype:
    """The dtype of positions in sequences of a length: int16, or int32 if that is too small."""
    return torch.int16 if length <= LONGEST_INT16 else torch.int32
