"""Exchange of hidden states between the linked tokens of a pair (WEAM, Yang et al. 2021, Eq. 5)."""

import torch
from torch import Tensor

from xalign_fairseq.transport.precision import at_least_float32

MANY = ("sum", "mean")


def exchange(hidden: Tensor, links: Tensor, wanted: Tensor, many: str = "sum") -> tuple[Tensor, Tensor]:
    r"""Rows of :math:`H' = A^\top H` (Eq. 5): for each wanted token, the hidden states of its partners.

    A is 0/1 and symmetric, A(i, j) = A(j, i) = 1 for each link (i, j) of the pair sequence. It is never built; only
    rows of wanted tokens are added up, in float32 at least.

    Args:
        hidden: (B, T, H), any floating dtype.
        links: (K, 3) int64, [row, src position, tgt position] in the pair sequence, none of them twice.
        wanted: (B, T) bool.
        many: how a token with several partners reads them: "sum" (Eq. 5 as printed) or "mean".

    Returns:
        (N, H) in the dtype of ``hidden``, a row for each wanted token in the order of ``hidden[wanted]``, zero for one
        without a partner; and the number of partners of each, (N,) int64.

    Example::

        hidden = torch.arange(6.0)[None, :, None]  # <s> a </s> x y </s>
        wanted = torch.tensor([[False, True, False, False, True, False]])
        exchange(hidden, torch.tensor([[0, 1, 3], [0, 1, 4]]), wanted)  # [[7.], [1.]] and [2, 1]
    """
    if many not in MANY:
        raise ValueError(f"many is one of {', '.join(MANY)}, not {many}")
    rows, src, tgt = links.unbind(1)
    first = rows * hidden.shape[1]
    receivers, givers = torch.cat([first + src, first + tgt]), torch.cat([first + tgt, first + src])
    flat = wanted.flatten()
    asked = flat[receivers]
    # A wanted token is known by its number among the wanted ones from here on.
    receivers, givers = (flat.cumsum(0) - 1)[receivers[asked]], givers[asked]
    size = int(flat.sum())
    states = at_least_float32(hidden.flatten(0, 1)[givers])
    sums = states.new_zeros(size, hidden.shape[2]).index_add(0, receivers, states)
    partners = torch.bincount(receivers, minlength=size)
    if many == "mean":
        sums = sums / partners.clamp(min=1)[:, None]
    return sums.to(hidden.dtype), partners
