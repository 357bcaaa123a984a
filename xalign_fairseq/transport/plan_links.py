"""XLM-Align's links: from hidden states to a transport plan, to links, and to one partner position per token."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import torch
from torch import Tensor

from xalign_fairseq.transport.extraction import find_links, link_probability
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.method import Method
from xalign_fairseq.transport.options import TransportOptions
from xalign_fairseq.transport.pointer import Pointer
from xalign_fairseq.transport.similarity import pair_similarity, side_sizes
from xalign_fairseq.transport.sinkhorn import backend, fused
from xalign_fairseq.transport.sinkhorn.reference import sinkhorn
from xalign_fairseq.transport.token_links import (
    TokenLinks,
    last_partners,
    links_of_partners,
    matrix_of_partners,
    partners_of_matrix,
)

# The similarity S of Eq. 1 from hidden states: dot products (pair_similarity), or a trained pointer's scores.
Measure = Callable[..., tuple[Tensor, Tensor, Tensor]]


@dataclass(frozen=True)
class Transport(TransportOptions, Method):
    """XLM-Align's links (Chi et al., 2021): a transport plan of the similarities, and a filter on it.

    They are found by the implementation that :func:`~xalign_fairseq.transport.sinkhorn.backend.chosen` names. The
    probability of a link is the geometric mean of its shares in its row and its column of the plan
    (:func:`~xalign_fairseq.transport.extraction.link_probability`). ``measure`` uses a trained pointer's scores instead
    of dot products. The other options are those of :class:`~xalign_fairseq.transport.options.TransportOptions`.

    Example::

        hidden = torch.randn(1, 7, 16)  # <s> a b </s> x y </s>
        links = Transport(filter="argmax")(hidden, torch.tensor([[1, 3, 4, 6]]))
        links.src, links.tgt  # of every link, the tokens counted from the first of their side
    """

    name: ClassVar[str] = "transport"
    encoding: ClassVar[str] = "joint"
    depth: ClassVar[int] = 10

    measure: Measure = field(default=pair_similarity, repr=False, compare=False)

    def __call__(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> TokenLinks:
        with torch.no_grad():
            if backend.chosen(hidden) == "reference":
                return super().__call__(hidden, spans, sizes=sizes)
            sizes = side_sizes(spans) if sizes is None else sizes
            found, probability = self._fused(hidden, spans, sizes, probabilities=True)
            return links_of_partners(found, probability, spans, sizes, one_sided=self._one_sided)

    def with_scores(
        self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None
    ) -> tuple[TokenLinks, Tensor]:
        """Like :meth:`Method.with_scores`; the plan is the reference implementation's."""
        return self(hidden, spans, sizes=sizes), self.links_and_scores(hidden, spans, sizes)[1]

    def matrix(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> Tensor:
        with torch.no_grad():
            if backend.chosen(hidden) == "reference":
                return self._reference(hidden, spans, sizes)[0]
            sizes = side_sizes(spans) if sizes is None else sizes
            found, _ = self._fused(hidden, spans, sizes)
            return matrix_of_partners(found, spans, sizes, one_sided=self._one_sided)

    def labels(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> Tensor:
        """The position of each token's partner in the other sentence: the labels A(i) of denoising word alignment.

        A token with several links gets the partner with the highest position, as in the released code (the paper does
        not say). Both sides are labelled. A pair with tokens on both sides but no label had non-finite hidden states.
        Arguments are those of :meth:`Method.__call__`; with ``sizes`` nothing is read back from the device.

        Returns:
            (B, T) int16 (int32 if T > 32767): absolute position in the sequence, -1 without a partner.
        """
        with torch.no_grad():
            if backend.chosen(hidden) == "reference":
                return partners_of_matrix(self._reference(hidden, spans, sizes)[0], spans, hidden.shape[1])
            sizes = side_sizes(spans) if sizes is None else sizes
            found, _ = self._fused(hidden, spans, sizes, highest=True)
            return last_partners(found, one_sided=self._one_sided)

    def with_heads(self, pointer: Pointer | None, scorer: LinkScorer | None = None) -> Self:
        return self if pointer is None else replace(self, measure=pointer.similarity)

    def describe(self) -> dict[str, Any]:
        rounds = {"rounds": self.rounds, "alpha": self.alpha} if self.filter.startswith("itermax") else {}
        plan = {"mu": self.mu, "eps": self.eps, "iterations": self.iterations, "order": self.order}
        return {"method": self.name, "filter": self.filter, **rounds, **plan}

    @property
    def _one_sided(self) -> bool:
        return self.filter == "union"

    def _fused(self, hidden: Tensor, spans: Tensor, sizes: tuple[int, int], **wanted: bool) -> tuple[Tensor, Tensor]:
        if self.measure is pair_similarity:
            return fused.link_partners(hidden, spans, sizes, self, **wanted)
        similarity, _, _ = self.measure(hidden, spans, sizes=sizes)
        return fused.link_partners_of(similarity, spans, hidden.shape[1], self, **wanted)

    @torch.no_grad()
    def links_and_scores(self, hidden: Tensor, spans: Tensor, sizes: tuple[int, int] | None) -> tuple[Tensor, Tensor]:
        links, plan = self._reference(hidden, spans, sizes)
        return links, link_probability(plan)

    def _reference(self, hidden: Tensor, spans: Tensor, sizes: tuple[int, int] | None) -> tuple[Tensor, Tensor]:
        """Links and plan, both (B, n, m)."""
        similarity, src_mask, tgt_mask = self.measure(hidden, spans, sizes=sizes)
        plan = sinkhorn(similarity, src_mask, tgt_mask, self)
        links = find_links(plan, src_mask, tgt_mask, filter=self.filter, rounds=self.rounds, alpha=self.alpha)
        return links, plan
