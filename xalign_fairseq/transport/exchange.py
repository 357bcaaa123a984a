"""Exchange of hidden states between the linked tokens of a pair (WEAM, Yang et al. 2021, Eq. 5)."""

import torch
from torch import Tensor

from xalign_fairseq.transport.precision import at_least_float32
from xalign_fairseq.transport.similarity import side_positions

MANY = ("sum", "mean")


def exchange(hidden: Tensor, links: Tensor, spans: Tensor, wanted: Tensor, many: str = "sum") -> tuple[Tensor, Tensor]:
    r"""Rows of :math:`H' = A^\top H` (Eq. 5): for each wanted token, the hidden states of its partners.

    A is 0/1 and symmetric, A(i, j) = A(j, i) = 1 for each link (i, j) of the pair sequence. Its two blocks, of source
    and target tokens, are multiplied in float32 at least.

    Args:
        hidden: (B, T, H), any floating dtype.
        links: (B, n, m) bool, the tokens counted from the first of their side.
        spans: (B, 4) int64, [src start, src end, tgt start, tgt end).
        wanted: (N,) int64, positions in the flattened (B * T,).
        many: how a token with several partners reads them: "sum" (Eq. 5 as printed) or "mean".

    Returns:
        (N, H) in the dtype of ``hidden``, zero for a token without a partner; and the number of partners of each, (N,)
        int64.
    """
    if many not in MANY:
        raise ValueError(f"many is one of {', '.join(MANY)}, not {many}")
    states = at_least_float32(hidden)
    sums = []
    with torch.autocast(hidden.device.type, enabled=False):
        for side, matrix in enumerate((links, links.transpose(1, 2))):
            others, _ = side_positions(spans, 1 - side, matrix.shape[2])
            given = states.gather(1, others[:, :, None].expand(-1, -1, states.shape[2]))
            sums.append(torch.bmm(matrix.to(states.dtype), given))
    exchanged = _rows(sums, spans, wanted, hidden.shape[1])
    partners = partner_counts(links, spans, wanted, hidden.shape[1])
    if many == "mean":
        exchanged = exchanged / partners.clamp(min=1)[:, None]
    return exchanged.to(hidden.dtype), partners


def partner_counts(links: Tensor, spans: Tensor, wanted: Tensor, length: int) -> Tensor:
    """The number of partners (N,) int64 of wanted tokens; all as in :func:`exchange`, ``length`` is T."""
    return _rows([links.sum(2)[:, :, None], links.sum(1)[:, :, None]], spans, wanted, length)[:, 0]


def _rows(sides: list[Tensor], spans: Tensor, wanted: Tensor, length: int) -> Tensor:
    """Rows (N, H) of wanted tokens, from those of the source tokens (B, n, H) and of the target tokens (B, m, H).

    Tokens of neither side have a row of zeros.
    """
    (n, m), none = (side.shape[1] for side in sides), sides[0].new_zeros(len(spans), 1, sides[0].shape[2])
    pair, column = wanted // length, wanted % length
    start, end, tgt_start, tgt_end = spans[pair].unbind(1)
    place = torch.where((column >= tgt_start) & (column < tgt_end), n + column - tgt_start, n + m)
    place = torch.where((column >= start) & (column < end), column - start, place)
    return torch.cat([*sides, none], 1).flatten(0, 1).index_select(0, pair * (n + m + 1) + place)
