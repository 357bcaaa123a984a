"""The pointer network of denoising word alignment."""

import torch
from torch import Tensor, nn

from xalign_fairseq.transport.precision import at_least_float32
from xalign_fairseq.transport.similarity import pair_products, states_at


class Pointer(nn.Module):
    """a_i = softmax_j(q(h_i) . k(h_j) / sqrt(d)) over the other side of the pair (XLM-Align, Eq. 11 to 13).

    One query map and one key map, each with a bias, shared by both directions.

    Args:
        dim: the hidden size.
        start: ``random``, as BERT's maps; or ``identity``, which points by h_i . h_j / sqrt(d), for states that are
            already aligned: random maps would add noise to them.
    """

    def __init__(self, dim: int, start: str = "random"):
        super().__init__()
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        for map_ in (self.query, self.key):
            if start == "identity":
                nn.init.eye_(map_.weight)
            else:
                nn.init.normal_(map_.weight, std=0.02)
            nn.init.zeros_(map_.bias)

    def loss(
        self, hidden: Tensor, spans: Tensor, queries: Tensor, labels: Tensor, *, most: int | None = None
    ) -> tuple[Tensor, Tensor]:
        """Cross-entropy of the pointer at the query positions; nothing is read back from the device.

        Args:
            hidden: (B, T, H).
            spans: (B, 4), [src start, src end, tgt start, tgt end).
            queries: (B, T) bool, the query positions; their labels are not negative.
            labels: (B, T) int64, absolute position of the partner.
            most: Q, the maximum number of queries in a row, by default T; memory is (B, Q, T).

        Returns:
            the sum over queries in nats, and the number of queries whose most probable partner is the label. Without a
            query both are zero, and the maps still get a zero gradient.
        """
        # Queries come first in each row; rows with fewer queries compute extra ones, which do not count.
        order = queries.int().argsort(dim=1, descending=True, stable=True)[:, :most]
        counted = queries.gather(1, order)
        logp = self.log_probabilities(hidden, spans, order)
        target = labels.gather(1, order).clamp(min=0)
        total = -logp.gather(2, target[..., None])[..., 0].masked_fill(~counted, 0.0).sum()
        return total, ((logp.detach().argmax(2) == target) & counted).sum()

    def similarity(
        self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """S_ij = exp((q_i . k_j + k_i . q_j) / (2 sqrt(d))): the pointer's scores of both directions as a similarity.

        With mu = 1 the transport plan of S scales the geometric mean of both directions' pointing weights. Arguments
        and results are those of :func:`~xalign_fairseq.transport.similarity.pair_similarity`, which it replaces.
        """
        q, k = self.query(hidden), self.key(hidden)
        scores, src_mask, tgt_mask = pair_products(torch.cat([q, k], 2), torch.cat([k, q], 2), spans, sizes=sizes)
        inside = src_mask[:, :, None] & tgt_mask[:, None, :]
        # exp(80) is finite in float32; scores of trained pointers are much smaller.
        similarity = (scores * (0.5 * hidden.shape[-1] ** -0.5)).clamp(-80, 80).exp()
        return similarity.masked_fill(~inside, 0.0), src_mask, tgt_mask

    def log_probabilities(self, hidden: Tensor, spans: Tensor, positions: Tensor) -> Tensor:
        """log a_i for the given positions (B, Q) over all T positions; about -inf outside the other side."""
        scores = self.query(states_at(hidden, positions)) @ self.key(hidden).transpose(1, 2) * hidden.shape[2] ** -0.5
        side = sides(spans, hidden.shape[1])
        other = (1 - side.gather(1, positions))[..., None] == side[:, None, :]
        wide = at_least_float32(scores)
        return wide.masked_fill(~other, torch.finfo(wide.dtype).min).log_softmax(-1)


def sides(spans: Tensor, length: int) -> Tensor:
    """(B, T): 0 at source tokens, 1 at target tokens, 5 at special tokens and padding."""
    at = torch.arange(length, device=spans.device)
    src = (at >= spans[:, 0:1]) & (at < spans[:, 1:2])
    tgt = (at >= spans[:, 2:3]) & (at < spans[:, 3:4])
    return torch.where(src, 0, torch.where(tgt, 1, 5))
