"""The searches of :mod:`xalign_fairseq.evaluation.retrieval` on faiss's flat index, in float32; faiss is optional."""

import importlib.util

import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.unit_vectors import unit

# Cosines of equal vectors differ by this much in float32, as the kernels add up in different orders.
EQUAL = 1e-6
# Neighbours that are asked for: most margins are decided among them, and equal candidates are found.
DEPTH = 16
CHUNK = 1024


def installed() -> bool:
    """Whether faiss can be imported."""
    return importlib.util.find_spec("faiss") is not None


def require() -> None:
    """:class:`XalignError` that says how to install faiss, if it is missing."""
    if not installed():
        raise XalignError("faiss is not installed", remedy="pip install faiss-cpu")


def by_cosine(queries: Tensor, candidates: Tensor) -> Tensor:
    """As :func:`~xalign_fairseq.evaluation.retrieval.by_cosine`; candidates within 1e-6 of the best are equal."""
    cosines, rows = _nearest(_unit(queries), _unit(candidates), DEPTH)
    return _lowest(cosines, rows).to(queries.device)


def by_margin(queries: Tensor, candidates: Tensor, *, neighbours: int = 4) -> Tensor:
    """As :func:`~xalign_fairseq.evaluation.retrieval.by_margin`; candidates within 1e-6 of the best are equal.

    The margin is no inner product, so the index finds each query's nearest candidates only. A candidate beyond them has
    at most the last one's cosine and at least the smallest denominator: where that could still be the best margin, all
    candidates are compared.
    """
    queries_, candidates_ = _unit(queries), _unit(candidates)
    cosines, rows = _nearest(queries_, candidates_, max(DEPTH, neighbours))
    of_queries = cosines[:, :neighbours].mean(1)
    of_candidates = _nearest(candidates_, queries_, neighbours)[0].mean(1)
    margins = ratios(2 * cosines, of_queries[:, None] + of_candidates[rows])
    found = _lowest(margins, rows)
    smallest = of_queries + of_candidates.min()
    bound = 2 * cosines[:, -1].clamp_min(0) / smallest
    decided = (smallest > 0) & (margins.amax(1) > bound + EQUAL)
    if rows.shape[1] < len(candidates_):
        for open_ in (~decided).nonzero()[:, 0].split(CHUNK):
            margins = ratios(2 * (queries_[open_] @ candidates_.T), of_queries[open_, None] + of_candidates)
            found[open_] = _lowest(margins, torch.arange(len(candidates_)).expand_as(margins))
    return found.to(queries.device)


def ratios(cosines: Tensor, means: Tensor) -> Tensor:
    """Cosines over the mean cosines of neighbours; 0 over 0, of a vector of zeros, is 0."""
    return (cosines / means).masked_fill((cosines == 0) & (means == 0), 0.0)


def _unit(vectors: Tensor) -> Tensor:
    return unit(vectors.detach().cpu().float())


def _nearest(queries: Tensor, candidates: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Cosines, the greatest first, and rows of each query's k nearest candidates, or of all if they are fewer."""
    import faiss

    index = faiss.IndexFlatIP(candidates.shape[1])
    index.add(candidates.numpy())
    cosines, rows = index.search(queries.numpy(), min(k, len(candidates)))
    return torch.from_numpy(cosines), torch.from_numpy(rows)


def _lowest(scores: Tensor, rows: Tensor) -> Tensor:
    """The lowest row of those with the greatest score."""
    best = scores >= scores.amax(1, keepdim=True) - EQUAL
    return torch.where(best, rows, torch.iinfo(torch.int64).max).amin(1)
