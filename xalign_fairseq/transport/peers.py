"""The links of other aligners: SimAlign, awesome-align, and the aligner released with XLM-Align."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.transport.extraction import check_link_options, find_links
from xalign_fairseq.transport.method import Method
from xalign_fairseq.transport.similarity import finite_pairs, pair_cosines, pair_similarity

COSINE_FILTERS = ("argmax", "itermax", "match")
Assignment = Callable[..., tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Cosine(Method):
    """SimAlign's links (Jalili Sabet et al., 2020), on the similarity (1 + cos(h_i, h_j)) / 2.

    - ``argmax``: pairs of mutually most similar tokens.
    - ``itermax``: these, and ``rounds - 1`` further rounds among free tokens, discounted by ``alpha``; the same rule as
      on a transport plan (:func:`~xalign_fairseq.transport.extraction.find_links`).
    - ``match``: the min(n, m) one-to-one links with the largest sum of similarities, by SciPy on the host.

    The probability of a link is its similarity, which ignores other candidates.
    """

    name: str = "argmax"
    rounds: int = 2
    alpha: float = 0.9

    def __post_init__(self) -> None:
        known = self.name in COSINE_FILTERS
        check_values("unknown rule on cosines", ("name", self.name, known, " or ".join(COSINE_FILTERS)))
        if self.name == "match":
            _assignment()  # report a missing SciPy before work begins
        else:
            check_link_options(self.name, self.rounds, self.alpha)

    @torch.no_grad()
    def links_and_scores(self, hidden: Tensor, spans: Tensor, sizes: tuple[int, int] | None) -> tuple[Tensor, Tensor]:
        cosine, src_mask, tgt_mask = pair_cosines(hidden, spans, sizes)
        # Computed in place and in this order, to round as SimAlign does.
        similarity = cosine.add_(1.0).div_(2.0).clamp_min_(0.0)
        similarity.masked_fill_(~(src_mask[:, :, None] & tgt_mask[:, None, :]), 0.0)
        if self.name == "match":
            return _matching(similarity, src_mask, tgt_mask), similarity
        links = find_links(similarity, src_mask, tgt_mask, filter=self.name, rounds=self.rounds, alpha=self.alpha)
        return links, similarity


@dataclass(frozen=True)
class Softmax(Method):
    """awesome-align's links (Dou & Neubig, 2021): dot products through a softmax over either side.

    A link exceeds ``threshold`` in both softmaxes; its probability is their geometric mean.
    """

    name: ClassVar[str] = "softmax"

    threshold: float = 1e-3

    def __post_init__(self) -> None:
        possible = 0 <= self.threshold < 1
        check_values("the threshold is out of range", ("threshold", self.threshold, possible, "0 or more, below 1"))

    @torch.no_grad()
    def links_and_scores(self, hidden: Tensor, spans: Tensor, sizes: tuple[int, int] | None) -> tuple[Tensor, Tensor]:
        similarity, src_mask, tgt_mask = finite_pairs(*pair_similarity(hidden, spans, sizes=sizes))
        inside = src_mask[:, :, None] & tgt_mask[:, None, :]
        # Finite: -inf would make rows of padding NaN.
        similarity = similarity.masked_fill(~inside, torch.finfo(similarity.dtype).min)
        forward, backward = similarity.softmax(2), similarity.softmax(1)
        links = (forward > self.threshold) & (backward > self.threshold) & inside
        return links, (forward * backward).sqrt()


@dataclass(frozen=True)
class Released(Method):
    """The links of the aligner released with XLM-Align (Chi et al., 2021), which differ from the paper's.

    The matrix S of unclamped dot products is divided by its column sums and then by its row sums, ``iterations`` times.
    A link is the largest entry of its row in the last matrix, and the largest entry of its column before the last
    division. There is no itermax, and no floor of the similarities: with negative products a sum may be near 0, which
    makes the largest entry meaningless.

    The probability of a link is its share of its row, clamped to [0, 1].
    """

    name: ClassVar[str] = "released"
    encoding: ClassVar[str] = "joint"

    iterations: int = 2

    def __post_init__(self) -> None:
        some = self.iterations >= 1
        check_values("the method needs at least one iteration", ("iterations", self.iterations, some, "1 or more"))

    @torch.no_grad()
    def links_and_scores(self, hidden: Tensor, spans: Tensor, sizes: tuple[int, int] | None) -> tuple[Tensor, Tensor]:
        rows, src_mask, tgt_mask = finite_pairs(*pair_similarity(hidden, spans, sizes=sizes))
        inside = src_mask[:, :, None] & tgt_mask[:, None, :]
        columns = rows
        for _ in range(self.iterations):
            # Padding is 0 and stays so.
            columns = rows / rows.sum(1, keepdim=True).masked_fill(~tgt_mask[:, None, :], 1.0)
            rows = columns / columns.sum(2, keepdim=True).masked_fill(~src_mask[:, :, None], 1.0)
        if not rows.numel():
            return inside, rows
        finite = rows.sum((1, 2)).isfinite()[:, None, None]
        forward = rows.masked_fill(~inside, float("-inf")).argmax(2, keepdim=True)
        backward = columns.masked_fill(~inside, float("-inf")).argmax(1, keepdim=True)
        links = torch.zeros_like(inside).scatter_(2, forward, True)
        links &= torch.zeros_like(inside).scatter_(1, backward, True)
        return links & inside & finite, rows.clamp(0, 1)


def _matching(similarity: Tensor, src_mask: Tensor, tgt_mask: Tensor) -> Tensor:
    """The assignment with the largest sum for each pair, (B, n, m) bool on the device of the similarities."""
    assignment = _assignment()
    links = torch.zeros(similarity.shape, dtype=torch.bool)
    sizes = zip(src_mask.sum(1).tolist(), tgt_mask.sum(1).tolist(), strict=True)
    for pair, matrix, (n, m) in zip(links, similarity.cpu().numpy(), sizes, strict=True):
        pair[assignment(matrix[:n, :m], maximize=True)] = True
    return links.to(similarity.device)


def _assignment() -> Assignment:
    try:
        from scipy.optimize import linear_sum_assignment
    except ImportError:
        raise XalignError("matching needs SciPy", parameter="method", remedy="pip install scipy") from None
    found: Assignment = linear_sum_assignment
    return found
