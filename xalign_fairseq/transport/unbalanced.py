"""Links by transport with a dustbin, which takes the words without a partner."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from xalign_fairseq.transport.extraction import check_link_options, describe_filter, find_links, link_probability
from xalign_fairseq.transport.partners import partners_of_matrix
from xalign_fairseq.transport.peers import ByMatrix
from xalign_fairseq.transport.similarity import pair_cosines
from xalign_fairseq.transport.sinkhorn.dustbin import check_dustbin_options, dustbin_plan


@dataclass(frozen=True)
class Dustbin(ByMatrix):
    """Links by transport with a dustbin (:func:`~xalign_fairseq.transport.sinkhorn.dustbin.dustbin_plan`).

    Scores are the cosines of the hidden states, scaled for each pair so that its lowest is 0 and its highest 1 (all 1
    where they are equal), ``dustbin`` is the score of having no partner: the higher, the fewer links. One of a link's
    tokens at least must send it more mass than it sends to the dustbin (three subwords with one partner have a third of
    its mass each, and send the rest there); ``filter``, ``rounds`` and ``alpha`` choose among those
    (:func:`~xalign_fairseq.transport.extraction.find_links`). Its probability is the geometric mean of its shares of
    its row and of its column, the dustbin's mass included.

    Example::

        links = Dustbin(dustbin=0.6)(hidden, spans)
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
        check_dustbin_options(self.dustbin, self.mu, self.iterations)
        check_link_options(self.filter, self.rounds, self.alpha)

    def labels(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> Tensor:
        """See :meth:`LabellingMethod.labels`."""
        return partners_of_matrix(self.matrix(hidden, spans, sizes=sizes), spans, hidden.shape[1])

    @torch.no_grad()
    def scored(self, hidden: Tensor, spans: Tensor, sizes: tuple[int, int] | None) -> tuple[Tensor, Tensor]:
        """See :meth:`ByMatrix.scored`."""
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
        """See :meth:`Method.describe`."""
        plan = {"dustbin": self.dustbin, "mu": self.mu, "iterations": self.iterations}
        return {"method": "ot-unbalanced", **describe_filter(self.filter, self.rounds, self.alpha), **plan}


def _scaled(scores: Tensor, inside: Tensor) -> Tensor:
    """Scores of each pair from 0, its lowest, to 1, its highest; all 1 where these are equal."""
    if scores.numel() == 0:
        return scores
    low = scores.masked_fill(~inside, float("inf")).amin((1, 2), keepdim=True)
    high = scores.masked_fill(~inside, float("-inf")).amax((1, 2), keepdim=True)
    return torch.where(high > low, (scores - low) / (high - low), 1.0)
