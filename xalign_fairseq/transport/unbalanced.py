"""Links by transport with a dustbin for words without a partner."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from xalign_fairseq.core.errors import check_values
from xalign_fairseq.transport.extraction import check_link_options, describe_filter, find_links, link_probability
from xalign_fairseq.transport.peers import ByMatrix
from xalign_fairseq.transport.precision import at_least_float32
from xalign_fairseq.transport.similarity import pair_cosines
from xalign_fairseq.transport.sinkhorn.reference import check_sinkhorn_shapes
from xalign_fairseq.transport.token_links import partners_of_matrix


def dustbin_plan(
    scores: Tensor,
    src_mask: Tensor,
    tgt_mask: Tensor,
    dustbin: float | Tensor,
    *,
    mu: float = 0.1,
    iterations: int = 20,
) -> Tensor:
    r"""Transport plan of each pair, with one more row and one more column for tokens without a partner.

    The scores get a last row and a last column of the dustbin's score z (as Sarlin et al., 2020, match key points;
    unbalanced transport for words: Arase et al., 2023), :math:`K = \exp(\bar S/\mu)`. Every token has mass 1;
    the source's dustbin (last row) has the mass of all target tokens and the target's (last column) that of all
    source tokens, so both sides have the same total and any token may have no partner. Each iteration scales the rows
    of K to these marginals, then the columns. The plan's columns meet them exactly, its rows approximately.

    Args:
        scores: (B, n, m), any floating dtype; 16-bit ones are widened to float32. Gradients flow.
        src_mask: (B, n) bool, the tokens of the source side.
        tgt_mask: (B, m) bool, the tokens of the target side.
        dustbin: z, in the unit of the scores; a tensor of one element may be learnt.
        mu: weight of the entropy.
        iterations: passes over both sides, 1 or more.

    Returns:
        (B, n + 1, m + 1), 0 at padding; a pair with an empty side has only its dustbins.

    Raises:
        XalignError: the shapes do not fit.
    """
    check_sinkhorn_shapes(scores, src_mask, tgt_mask, None, None)
    wide = at_least_float32(scores)
    batch, n, m = wide.shape
    score = dustbin.to(wide) if isinstance(dustbin, Tensor) else wide.new_full((), dustbin)
    kernel = score.expand(batch, n + 1, m + 1).clone()
    kernel[:, :n, :m] = wide
    rows, columns = _with_dustbin(src_mask), _with_dustbin(tgt_mask)
    inside = rows[:, :, None] & columns[:, None, :]
    # Finite: -inf would make the gradients at padding NaN.
    kernel = (kernel / mu).masked_fill(~inside, torch.finfo(wide.dtype).min / 4)
    src_mass, tgt_mass = src_mask.to(wide.dtype), tgt_mask.to(wide.dtype)
    row_mass, column_mass = _marginals(src_mass, tgt_mass), _marginals(tgt_mass, src_mass)
    v = torch.zeros_like(column_mass)
    for _ in range(iterations):
        u = (row_mass - torch.logsumexp(kernel + v[:, None, :], 2)).masked_fill(~rows, 0.0)
        v = (column_mass - torch.logsumexp(kernel + u[:, :, None], 1)).masked_fill(~columns, 0.0)
    return (kernel + u[:, :, None] + v[:, None, :]).exp().masked_fill(~inside, 0.0)


def _with_dustbin(mask: Tensor) -> Tensor:
    return torch.cat([mask, mask.new_ones(len(mask), 1)], 1)


def _marginals(own: Tensor, other: Tensor) -> Tensor:
    """Logarithms (B, n + 1) of one side's masses; its dustbin has the mass of all the other side's tokens."""
    # Finite even without mass: its exp is 0, and differences are not NaN.
    return torch.cat([own, other.sum(1, keepdim=True)], 1).log().clamp_min(torch.finfo(own.dtype).min / 4)


@dataclass(frozen=True)
class Dustbin(ByMatrix):
    """Links by transport with a dustbin (:func:`~xalign_fairseq.transport.unbalanced.dustbin_plan`).

    Scores are the cosines of the hidden states, scaled for each pair to [0, 1] (all 1 if they are equal). ``dustbin``
    is the score of having no partner: a higher score gives fewer links. At least one token of a link must send more
    mass to the link than to the dustbin (three subwords with one partner get a third of its mass each, and send the
    rest to the dustbin). ``filter``, ``rounds`` and ``alpha`` choose among these links
    (:func:`~xalign_fairseq.transport.extraction.find_links`). A link's probability is the geometric mean of its shares
    in its row and column, the dustbin's mass included.
    """

    encoding: ClassVar[str] = "joint"
    depth: ClassVar[float] = 10 / 12

    dustbin: float = 0.5
    mu: float = 0.1
    iterations: int = 20
    filter: str = "argmax"
    rounds: int = 2
    alpha: float = 0.9

    def __post_init__(self) -> None:
        check_values(
            "an option of transport with a dustbin has no such value",
            ("dustbin", self.dustbin, 0 <= self.dustbin <= 1, "0 to 1"),
            ("mu", self.mu, 0 < self.mu < math.inf, "a number above 0"),
            ("iterations", self.iterations, self.iterations >= 1, "1 or more"),
        )
        check_link_options(self.filter, self.rounds, self.alpha)

    def labels(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> Tensor:
        return partners_of_matrix(self.matrix(hidden, spans, sizes=sizes), spans, hidden.shape[1])

    @torch.no_grad()
    def scored(self, hidden: Tensor, spans: Tensor, sizes: tuple[int, int] | None) -> tuple[Tensor, Tensor]:
        cosine, src_mask, tgt_mask = pair_cosines(hidden, spans, sizes)
        scores = _scaled(cosine, src_mask[:, :, None] & tgt_mask[:, None, :])
        plan = dustbin_plan(scores, src_mask, tgt_mask, self.dustbin, mu=self.mu, iterations=self.iterations)
        inner = plan[:, :-1, :-1]
        partnered = (inner > plan[:, :-1, -1:]) | (inner > plan[:, -1:, :-1])
        links = find_links(
            inner * partnered, src_mask, tgt_mask, filter=self.filter, rounds=self.rounds, alpha=self.alpha
        )
        return links, link_probability(plan)[:, :-1, :-1]

    def describe(self) -> dict[str, Any]:
        plan = {"dustbin": self.dustbin, "mu": self.mu, "iterations": self.iterations}
        return {"method": "ot-unbalanced", **describe_filter(self.filter, self.rounds, self.alpha), **plan}


def _scaled(scores: Tensor, inside: Tensor) -> Tensor:
    """Scores of each pair, scaled to [0, 1]; all 1 if they are equal."""
    if scores.numel() == 0:
        return scores
    low = scores.masked_fill(~inside, float("inf")).amin((1, 2), keepdim=True)
    high = scores.masked_fill(~inside, float("-inf")).amax((1, 2), keepdim=True)
    return torch.where(high > low, (scores - low) / (high - low), 1.0)
