"""Retrieval of translations by sentence vectors: exact nearest neighbours by cosine and by margin, and accuracy."""

from collections.abc import Callable, Mapping

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.metric import Metric, ratio


def unit(vectors: Tensor) -> Tensor:
    """The vectors (N, H) scaled to length 1, in their dtype; zero vectors stay zero.

    Raises:
        XalignError: some are not finite; they would match no sentence and score 0.
    """
    spoilt = (~vectors.isfinite().all(1)).nonzero()
    if len(spoilt):
        found = f"{len(spoilt)} of {len(vectors)}, the first of them number {int(spoilt[0]) + 1}"
        raise XalignError("the model's vectors are not finite", found=found)
    return F.normalize(vectors, dim=1)


NEIGHBOURS = 4
CHUNK = 1024
# Similarities of equal vectors may differ in the last digits, because kernels sum in different orders.
EQUAL = 1e-12

Search = Callable[[Tensor, Tensor], Tensor]


def by_cosine(queries: Tensor, candidates: Tensor) -> Tensor:
    """The index of the candidate with the greatest cosine for each query, (N,) int64; the lowest among equals.

    Queries (N, H) and candidates (M, H) are compared in float64, 1,024 queries at a time; a zero vector has cosine
    0.
    """
    queries, candidates = unit(queries.double()), unit(candidates.double())
    return torch.cat([_best(part @ candidates.T) for part in queries.split(CHUNK)])


def by_margin(queries: Tensor, candidates: Tensor, *, neighbours: int = NEIGHBOURS) -> Tensor:
    r"""The index of the candidate with the greatest ratio margin for each query (Artetxe & Schwenk 2019, Eq. 2-3).

    .. math:: \frac{\cos(x, y)}
        {\sum_{z \in NN_k(x)} \frac{\cos(x, z)}{2k} + \sum_{z \in NN_k(y)} \frac{\cos(y, z)}{2k}}

    A query's neighbours are candidates, a candidate's neighbours are queries; with fewer than k, all count.
    All candidates compete, not only the query's neighbours. Ratios are meaningful if neighbours have positive cosines,
    as mean hidden states have; 0 / 0, for zero vectors, is 0.

    Args:
        queries, candidates: as in :func:`by_cosine`, with the lowest index among equals.
        neighbours: k.
    """
    queries, candidates = unit(queries.double()), unit(candidates.double())
    of_queries = _mean_of_nearest(queries, candidates, neighbours)
    of_candidates = _mean_of_nearest(candidates, queries, neighbours)
    found = []
    for part, mean in zip(queries.split(CHUNK), of_queries.split(CHUNK), strict=True):
        cosines, means = 2 * (part @ candidates.T), mean[:, None] + of_candidates
        found.append(_best((cosines / means).masked_fill((cosines == 0) & (means == 0), 0.0)))
    return torch.cat(found)


def _best(scores: Tensor) -> Tensor:
    """The lowest index with a row's greatest score."""
    if not scores.shape[1]:
        raise XalignError("there is no sentence to retrieve")
    best = scores >= scores.amax(1, keepdim=True) - EQUAL
    index = torch.arange(scores.shape[1], device=scores.device)
    return torch.where(best, index, scores.shape[1]).amin(1)


def _mean_of_nearest(queries: Tensor, candidates: Tensor, neighbours: int) -> Tensor:
    k = min(neighbours, len(candidates))
    return torch.cat([(part @ candidates.T).topk(k, dim=1).values.mean(1) for part in queries.split(CHUNK)])


# Metric name -> search, and whether English sentences are the queries.
SEARCHES: dict[str, tuple[Search, bool]] = {
    "accuracy": (by_cosine, False),
    "accuracy-from-en": (by_cosine, True),
    "margin-accuracy": (by_margin, False),
    "margin-accuracy-from-en": (by_margin, True),
}


def retrieve(foreign: Tensor, english: Tensor) -> dict[str, Tensor]:
    """For each of :data:`SEARCHES`, the index that each query retrieves, (N,) int64; row i translates row i."""
    return {
        name: search(english, foreign) if from_english else search(foreign, english)
        for name, (search, from_english) in SEARCHES.items()
    }


def retrieval_counts(foreign: Tensor, english: Tensor) -> dict[str, np.ndarray]:
    """Counts (N, 2) of each of :data:`RETRIEVAL_METRICS` of sentence vectors (N, H); row i translates row i."""
    if len(foreign) != len(english):
        found = f"{len(foreign)} and {len(english)}"
        raise XalignError("the two sides have different numbers of sentences", found=found)
    lines = torch.arange(len(foreign))
    return {
        name: np.stack([(rows.cpu() == lines).numpy(), np.ones(len(lines))], axis=1).astype(np.float64)
        for name, rows in retrieve(foreign, english).items()
    }


def _metric(name: str) -> Metric:
    def count(gold: str, prediction: Mapping[str, str], language: str) -> tuple[float, float]:
        return float(prediction[name] == gold), 1.0

    search, from_english = SEARCHES[name]
    measure = "cosine" if search is by_cosine else f"ratio margin, k={NEIGHBOURS}"
    direction = "from English" if from_english else "to English"
    return Metric(
        name,
        ("correct", "sentences"),
        count,
        ratio,
        f"share of sentences {direction} whose nearest by {measure} is right",
    )


# XTREME's figure, the accuracy by cosine towards English, is first. Gold is an item's id; a prediction maps each
# metric's name to the id that its search found.
RETRIEVAL_METRICS = tuple(map(_metric, SEARCHES))
