"""The links of SimAlign, on cosines, and of awesome-align, by a softmax over either side."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from xalign_fairseq.errors import XalignError
from xalign_fairseq.transport.extraction import check_link_options, describe_filter, find_links
from xalign_fairseq.transport.similarity import finite_pairs, pair_cosines, pair_similarity
from xalign_fairseq.transport.token_links import TokenLinks, links_of_matrix

COSINE_FILTERS = ("argmax", "itermax", "match")


@dataclass(frozen=True)
class Cosine:
    """SimAlign's links (Jalili Sabet et al., 2020), on the similarity (1 + cos(h_i, h_j)) / 2.

    - ``argmax``: pairs each of which is the other's most similar.
    - ``itermax``: these, and ``rounds - 1`` further rounds among free tokens, discounted by ``alpha``; the same rule as
      on a transport plan (:func:`~xalign_fairseq.transport.extraction.find_links`).
    - ``match``: the min(n, m) one-to-one links with the largest sum of similarities, by SciPy on the host.

    The probability of a link is its similarity, which knows nothing of other candidates.

    Example::

        links = Cosine("itermax")(hidden, spans)
    """

    encoding: ClassVar[str] = "separate"
    depth: ClassVar[float] = 8 / 12

    filter: str = "argmax"
    rounds: int = 2
    alpha: float = 0.9

    def __post_init__(self) -> None:
        if self.filter not in COSINE_FILTERS:
            raise XalignError(
                "there is no such rule on cosines", found=self.filter, expected=" or ".join(COSINE_FILTERS)
            )
        if self.filter == "match":
            _assignment()  # a missing SciPy is told before the work begins
        else:
            check_link_options(self.filter, self.rounds, self.alpha)

    @torch.no_grad()
    def __call__(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> TokenLinks:
        """As :meth:`Method.__call__`."""
        cosine, src_mask, tgt_mask = pair_cosines(hidden, spans, sizes)
        # In place and in this order, whose rounding is SimAlign's.
        similarity = cosine.add_(1.0).div_(2.0).clamp_min_(0.0)
        similarity.masked_fill_(~(src_mask[:, :, None] & tgt_mask[:, None, :]), 0.0)
        if self.filter == "match":
            return links_of_matrix(_matching(similarity, src_mask, tgt_mask), similarity)
        links = find_links(similarity, src_mask, tgt_mask, filter=self.filter, rounds=self.rounds, alpha=self.alpha)
        return links_of_matrix(links, similarity)

    def describe(self) -> dict[str, Any]:
        """As :meth:`Method.describe`."""
        options = describe_filter(self.filter, self.rounds, self.alpha)
        return {"method": options.pop("filter"), **options}


@dataclass(frozen=True)
class Softmax:
    """awesome-align's links (Dou & Neubig, 2021): dot products through a softmax over either side.

    Links are where both softmaxes exceed ``threshold``; the probability is their geometric mean.

    Example::

        links = Softmax()(hidden, spans)
    """

    encoding: ClassVar[str] = "separate"
    depth: ClassVar[float] = 8 / 12

    threshold: float = 1e-3

    def __post_init__(self) -> None:
        if not 0 <= self.threshold < 1:
            raise XalignError(
                "a probability can't exceed the threshold",
                where="threshold",
                found=self.threshold,
                expected="0 or more, below 1",
            )

    @torch.no_grad()
    def __call__(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> TokenLinks:
        """As :meth:`Method.__call__`."""
        similarity, src_mask, tgt_mask = finite_pairs(*pair_similarity(hidden, spans, sizes=sizes))
        inside = src_mask[:, :, None] & tgt_mask[:, None, :]
        # Finite instead of -inf, which would make rows of padding NaN.
        similarity = similarity.masked_fill(~inside, torch.finfo(similarity.dtype).min)
        forward, backward = similarity.softmax(2), similarity.softmax(1)
        links = (forward > self.threshold) & (backward > self.threshold) & inside
        return links_of_matrix(links, (forward * backward).sqrt())

    def describe(self) -> dict[str, Any]:
        """As :meth:`Method.describe`."""
        return {"method": "softmax", "threshold": self.threshold}


def _matching(similarity: Tensor, src_mask: Tensor, tgt_mask: Tensor) -> Tensor:
    """The assignment with the largest sum for each pair, (B, n, m) bool on the device of the similarities."""
    assignment = _assignment()
    links = torch.zeros(similarity.shape, dtype=torch.bool)
    sizes = zip(src_mask.sum(1).tolist(), tgt_mask.sum(1).tolist(), strict=True)
    for pair, matrix, (n, m) in zip(links, similarity.cpu().numpy(), sizes, strict=True):
        pair[assignment(matrix[:n, :m], maximize=True)] = True
    return links.to(similarity.device)


def _assignment() -> Callable[..., Any]:
    try:
        from scipy.optimize import linear_sum_assignment
    except ImportError:
        raise XalignError("matching needs SciPy", where="--method match", next="pip install scipy") from None
    return linear_sum_assignment
