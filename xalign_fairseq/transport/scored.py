"""Links of words by a network that has learned from gold links of other languages."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.links.growing import links_above
from xalign_fairseq.links.pharaoh import Link
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.peers import ByMatrix
from xalign_fairseq.transport.scorer_files import PACKAGED, scorer_name, shared_scorer
from xalign_fairseq.transport.similarity import side_sizes
from xalign_fairseq.transport.word_states import word_states

OWN = "own"  # a checkpoint's


@dataclass(frozen=True)
class Scored(ByMatrix):
    """All links from a probability on by a :class:`~xalign_fairseq.transport.link_scorer.LinkScorer`.

    It reads the states of several layers, one behind the other in the last dimension: (B, T, L * H). Where links join
    tokens, each token is a word.

    Args:
        scorer: the file of one; empty: the packaged one, of e5-small; ``own``: ``measure``.
        threshold: the least probability of a link.
        measure: the head of a checkpoint.

    Example::

        method = Scored(threshold=0.9)
        method.words(hidden, spans, src_words, tgt_words)  # [{(0, 0): 0.98}]
    """

    encoding: ClassVar[str] = "separate"
    depth: ClassVar[float] = 8 / 12

    scorer: str = ""
    threshold: float = 0.45
    measure: LinkScorer | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        fits = 0 < self.threshold <= 1
        check_values("a link probability is out of range", ("threshold", self.threshold, fits, "above 0, at most 1"))

    @property
    def network(self) -> LinkScorer:
        """The scorer."""
        return self.measure or shared_scorer(self.scorer or str(PACKAGED))

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers that are read, in this order."""
        return self.network.layers

    def words(self, hidden: Tensor, spans: Tensor, src_words: Tensor, tgt_words: Tensor) -> list[dict[Link, float]]:
        """See :class:`~xalign_fairseq.transport.grown.Grown`, with hidden states (B, T, L * H)."""
        scores = self.scores(hidden, spans, src_words, tgt_words)
        return [self.choose(each) for each in scores.cpu().numpy()]

    def choose(self, scores: np.ndarray) -> dict[Link, float]:
        """The links of a pair, of the probabilities (n, m) of its words."""
        return links_above(scores, self.threshold)

    @torch.no_grad()
    def scores(self, hidden: Tensor, spans: Tensor, src_words: Tensor, tgt_words: Tensor) -> Tensor:
        """Probabilities (B, words of the longest source, words of the longest target); 0 beyond a pair's own words.

        Raises:
            XalignError: the states are not of the scorer's size.
        """
        network = self.network.to(hidden.device)
        if hidden.shape[2] != len(network.layers) * network.dim:
            raise XalignError(
                "the link scorer is of another encoder",
                parameter="scorer",
                found=f"states of {hidden.shape[2]} values",
                expected=f"{len(network.layers)} layers of {network.dim}",
            )
        wide = hidden.to(network.mean.dtype)
        src, tgt = (
            word_states(wide, spans, side, words, len(network.layers))
            for side, words in enumerate((src_words, tgt_words))
        )
        return network.probabilities(src, tgt)

    def scored(self, hidden: Tensor, spans: Tensor, sizes: tuple[int, int] | None) -> tuple[Tensor, Tensor]:
        """See :meth:`ByMatrix.scored`."""
        tokens = (torch.arange(size, device=spans.device) for size in sizes or side_sizes(spans))
        scores = self.scores(hidden, spans, *(each.expand(len(spans), -1) for each in tokens))
        return scores >= self.threshold, scores

    def describe(self) -> dict[str, Any]:
        """See :meth:`Method.describe`."""
        name = self.scorer if self.measure or self.scorer == OWN else scorer_name(self.scorer)
        return {"method": "scored", "scorer": name, "threshold": self.threshold}
