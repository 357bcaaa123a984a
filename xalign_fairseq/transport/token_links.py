"""Links between the tokens of sentence pairs, one entry each: the result of every labelling method."""

from typing import NamedTuple

import torch
from torch import Tensor

from xalign_fairseq.transport.similarity import side_positions


class TokenLinks(NamedTuple):
    """The K links of a batch of pairs, in the order of pairs, source and target tokens.

    Their number is read by the host; to avoid waiting for the device, ask a method for its labels or its matrix.

    Attributes:
        pair: (K,) int64, the pair's row in the batch.
        src, tgt: (K,) int64, tokens counted from the first of their side.
        probability: (K,) float.

    Example::

        links = Transport()(hidden, spans)
        list(zip(links.src.tolist(), links.tgt.tolist()))  # of one pair: [(0, 1), (1, 0)]
    """

    pair: Tensor
    src: Tensor
    tgt: Tensor
    probability: Tensor


def links_of_matrix(links: Tensor, probability: Tensor) -> TokenLinks:
    """The entries of links (B, n, m) bool, with their probabilities from (B, n, m)."""
    pair, src, tgt = links.nonzero(as_tuple=True)
    return TokenLinks(pair, src, tgt, probability[pair, src, tgt])


def links_of_partners(
    partners: Tensor, probability: Tensor, spans: Tensor, sizes: tuple[int, int], *, one_sided: bool = False
) -> TokenLinks:
    """The links of partners, round by round as the fused operator finds them.

    Args:
        partners: (R, B, T), absolute positions, -1 without a partner.
        probability: (R, B, T), of the link at each token.
        spans: (B, 4).
        sizes: n and m, the longest sides.
        one_sided: a link may be at only one of its two tokens, as those of ``union`` do.
    """
    pair, src, tgt, shares = _of_side(partners, probability, spans, 0, sizes[0])
    if one_sided:
        back, there, here, back_shares = _of_side(partners, probability, spans, 1, sizes[1])
        # A link at both tokens is taken from its source token.
        once = partners[0, back, spans[back, 0] + here] != spans[back, 2] + there
        pair, src, tgt, shares = (
            torch.cat([one, other[once]])
            for one, other in ((pair, back), (src, here), (tgt, there), (shares, back_shares))
        )
    order = ((pair * sizes[0] + src) * sizes[1] + tgt).argsort()
    return TokenLinks(pair[order], src[order], tgt[order], shares[order])


def _of_side(
    partners: Tensor, probability: Tensor, spans: Tensor, side: int, size: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The links at the tokens of one side: pair, own token, partner, probability."""
    at, mask = side_positions(spans, side, size)
    at = at.expand(len(partners), -1, -1)
    found = partners.gather(2, at)
    turn, pair, own = (mask & (found >= 0)).nonzero(as_tuple=True)
    partner = found[turn, pair, own].long() - spans[pair, 2 * (1 - side)]
    return pair, own, partner, probability[turn, pair, at[turn, pair, own]]
