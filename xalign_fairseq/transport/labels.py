"""Self-labelling: from hidden states to links, and to one partner position per token."""

from typing import Protocol

import torch
from torch import Tensor

from xalign_fairseq.transport.extraction import find_links, link_probability
from xalign_fairseq.transport.options import TransportOptions
from xalign_fairseq.transport.partners import last_partners, matrix_of_partners, partners_of_matrix
from xalign_fairseq.transport.similarity import pair_similarity, side_sizes
from xalign_fairseq.transport.sinkhorn import backend, fused
from xalign_fairseq.transport.sinkhorn.reference import sinkhorn
from xalign_fairseq.transport.token_links import TokenLinks, links_of_matrix, links_of_partners


class Measure(Protocol):
    """What turns hidden states into the similarity S of Eq. 1: dot products, or a trained pointer's scores."""

    def __call__(
        self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """As :func:`~xalign_fairseq.transport.similarity.pair_similarity`."""


def pair_links(
    hidden: Tensor,
    spans: Tensor,
    options: TransportOptions | None = None,
    *,
    measure: Measure = pair_similarity,
    sizes: tuple[int, int] | None = None,
) -> TokenLinks:
    """Links of each pair with their probabilities, from its hidden states at one layer.

    By the implementation that :func:`~xalign_fairseq.transport.sinkhorn.backend.chosen` names.

    Args:
        hidden: (B, T, H), any floating dtype.
        spans: (B, 4) int64, [src_start, src_end, tgt_start, tgt_end).
        options: defaults to the released code's.
        measure: similarity of the hidden states; their dot products by default.
        sizes: the longest sides (n, m), as in
            :func:`~xalign_fairseq.transport.similarity.pair_similarity`.

    Example::

        hidden = torch.randn(1, 7, 16)  # <s> a b </s> x y </s>
        links = pair_links(hidden, torch.tensor([[1, 3, 4, 6]]))
        links.src, links.tgt  # of every link, the tokens counted from the first of their side
    """
    options = options or TransportOptions()
    with torch.no_grad():
        if backend.chosen(hidden) == "reference":
            links, plan = _reference_links(hidden, spans, options, measure, sizes)
            return links_of_matrix(links, link_probability(plan))
        sizes = side_sizes(spans) if sizes is None else sizes
        found, probability = _fused_partners(hidden, spans, options, measure, sizes, probabilities=True)
        return links_of_partners(found, probability, spans, sizes, one_sided=options.filter == "union")


def pair_link_matrix(
    hidden: Tensor,
    spans: Tensor,
    options: TransportOptions | None = None,
    *,
    measure: Measure = pair_similarity,
    sizes: tuple[int, int] | None = None,
) -> Tensor:
    """The links of :func:`pair_links` as (B, n, m) bool; with ``sizes`` nothing is read back from the device."""
    options = options or TransportOptions()
    with torch.no_grad():
        if backend.chosen(hidden) == "reference":
            return _reference_links(hidden, spans, options, measure, sizes)[0]
        sizes = side_sizes(spans) if sizes is None else sizes
        found, _ = _fused_partners(hidden, spans, options, measure, sizes)
        return matrix_of_partners(found, spans, sizes, one_sided=options.filter == "union")


def self_label(
    hidden: Tensor,
    spans: Tensor,
    options: TransportOptions | None = None,
    *,
    measure: Measure = pair_similarity,
    sizes: tuple[int, int] | None = None,
) -> Tensor:
    """The position of each token's partner in the other sentence: the labels A(i) of denoising word alignment.

    A token with several links gets the last, the partner with the highest position, as in the released code (the
    paper leaves it open); both sides are labelled. No gradient flows, and with ``sizes`` nothing is read back from the
    device. A pair that has tokens on both sides and no label at all had non-finite hidden states.

    Args:
        hidden: (B, T, H), any floating dtype.
        spans: (B, 4) int64, [src_start, src_end, tgt_start, tgt_end).
        options: defaults to the released code's.
        measure: similarity of the hidden states; their dot products by default.
        sizes: the longest sides (n, m).

    Returns:
        (B, T) int16 (int32 if T > 32767): absolute position in the sequence, -1 without a partner.

    Example::

        hidden = torch.eye(3)[[2, 0, 1, 2, 1, 0, 2]][None]  # <s> a b </s> b a </s>
        self_label(hidden, torch.tensor([[1, 3, 4, 6]]))
        # tensor([[-1, 5, 4, -1, 2, 1, -1]], dtype=torch.int16)
    """
    options = options or TransportOptions()
    with torch.no_grad():
        if backend.chosen(hidden) == "reference":
            links, _ = _reference_links(hidden, spans, options, measure, sizes)
            return partners_of_matrix(links, spans, hidden.shape[1])
        sizes = side_sizes(spans) if sizes is None else sizes
        found, _ = _fused_partners(hidden, spans, options, measure, sizes, highest=True)
        return last_partners(found, one_sided=options.filter == "union")


def _fused_partners(
    hidden: Tensor,
    spans: Tensor,
    options: TransportOptions,
    measure: Measure,
    sizes: tuple[int, int],
    **wanted: bool,
) -> tuple[Tensor, Tensor]:
    if measure is pair_similarity:
        return fused.link_partners(hidden, spans, sizes, options, **wanted)
    similarity, _, _ = measure(hidden, spans, sizes=sizes)
    return fused.link_partners_of(similarity, spans, hidden.shape[1], options, **wanted)


def _reference_links(
    hidden: Tensor, spans: Tensor, options: TransportOptions, measure: Measure, sizes: tuple[int, int] | None
) -> tuple[Tensor, Tensor]:
    """Links and plan, both (B, n, m)."""
    similarity, src_mask, tgt_mask = measure(hidden, spans, sizes=sizes)
    plan = sinkhorn(similarity, src_mask, tgt_mask, options)
    links = find_links(plan, src_mask, tgt_mask, filter=options.filter, rounds=options.rounds, alpha=options.alpha)
    return links, plan
