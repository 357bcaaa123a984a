"""The interface of methods that find links in hidden states of sentence pairs, and the base of word methods."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.links.pharaoh import Link
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.names import METHODS
from xalign_fairseq.transport.pointer import Pointer
from xalign_fairseq.transport.precision import at_least_float32
from xalign_fairseq.transport.similarity import side_sizes
from xalign_fairseq.transport.token_links import TokenLinks, links_of_matrix, word_links, word_scores


@dataclass(frozen=True)
class Method(ABC):
    """A method that finds links, without gradient; its fields are its options. Padding does not change links.

    A pair whose similarities are not all finite has no links.

    Attributes:
        encoding: the usual encoding of pairs, ``joint`` or ``separate``.
        depth: the usual layer of a 12-layer encoder.
    """

    encoding: ClassVar[str] = "separate"
    depth: ClassVar[int] = 8

    @property
    @abstractmethod
    def name(self) -> str:
        """Its name in :data:`~xalign_fairseq.transport.names.METHODS`."""

    @abstractmethod
    def links_and_scores(self, hidden: Tensor, spans: Tensor, sizes: tuple[int, int] | None) -> tuple[Tensor, Tensor]:
        """Links (B, n, m) bool, and the probabilities (B, n, m) of all token pairs; undefined at padding."""

    def __call__(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> TokenLinks:
        """The links between the tokens of each pair, from hidden states (B, T, H).

        Args:
            hidden: any floating dtype; similarities are float32 (float64 for float64 states).
            spans: (B, 4) int64, [src_start, src_end, tgt_start, tgt_end) in the sequence.
            sizes: (n, m), the longest sides, if they are known.
        """
        return links_of_matrix(*self.links_and_scores(hidden, spans, sizes))

    def matrix(self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None) -> Tensor:
        """The same links as (B, n, m) bool, the tokens counted from the first of their side.

        With ``sizes`` this does not wait for the device, except in ``match`` and ``grow``, which run on the host.
        """
        return self.links_and_scores(hidden, spans, sizes)[0]

    def with_scores(
        self, hidden: Tensor, spans: Tensor, *, sizes: tuple[int, int] | None = None
    ) -> tuple[TokenLinks, Tensor]:
        """The links, and the probabilities (B, n, m) of all token pairs; undefined at padding."""
        links, probability = self.links_and_scores(hidden, spans, sizes)
        return links_of_matrix(links, probability), probability

    def links(
        self, hidden: Tensor, spans: Tensor, src_words: Tensor, tgt_words: Tensor, *, scores: bool = False
    ) -> tuple[list[dict[Link, float]], np.ndarray | None]:
        """The word links of each pair with their probabilities; words are linked if two of their tokens are.

        Args:
            hidden, spans: as above.
            src_words, tgt_words: (B, n) and (B, m) int, the word of each token of a side; -1 for no word.
            scores: also return the probabilities of all pairs of words (B, words, words): the largest of their token
                pairs, 0 beyond a pair's words.
        """
        sizes = src_words.shape[1], tgt_words.shape[1]
        if not scores:
            return word_links(self(hidden, spans, sizes=sizes), src_words, tgt_words), None
        links, found = self.with_scores(hidden, spans, sizes=sizes)
        return word_links(links, src_words, tgt_words), word_scores(found, src_words, tgt_words).cpu().numpy()

    def of_layers(self, states: Sequence[Tensor]) -> Tensor:
        """The method's input from the states (B, T, H) of its layers: their mean, in float32 or float64."""
        wide = [at_least_float32(hidden) for hidden in states]
        return wide[0] if len(wide) == 1 else torch.stack(wide).mean(0)

    def with_heads(self, pointer: Pointer | None, scorer: LinkScorer | None = None) -> Self:
        """The method with a model's link scorer, or with a pointer's scores, which only transport reads."""
        if pointer is not None:
            require_transport(self.name)
        return self

    def describe(self) -> dict[str, Any]:
        """``method``, its name, and the options that affect its links."""
        return {"method": self.name, **{option: getattr(self, option) for option in METHODS[self.name]}}

    def state(self) -> dict[str, Any]:
        """``name`` and all options, for a checkpoint; the inverse of :func:`.methods.method_of_state`."""
        return {"name": self.name, **{each.name: getattr(self, each.name) for each in fields(self) if each.compare}}


@dataclass(frozen=True)
class WordMethod(Method):
    """Scores pairs of words and chooses links among them. For links of tokens, each token counts as a word."""

    @abstractmethod
    def scores(self, hidden: Tensor, spans: Tensor, src_words: Tensor, tgt_words: Tensor) -> Tensor:
        """The probabilities of all pairs of words (B, n, m); 0 beyond a pair's own words."""

    @abstractmethod
    def choose(self, scores: np.ndarray) -> dict[Link, float]:
        """The links of a pair, from the scores (n, m) of its words."""

    def links(
        self, hidden: Tensor, spans: Tensor, src_words: Tensor, tgt_words: Tensor, *, scores: bool = False
    ) -> tuple[list[dict[Link, float]], np.ndarray | None]:
        """Like :meth:`Method.links`, from the scores of words."""
        found = self.scores(hidden, spans, src_words, tgt_words).cpu().numpy()
        return [self.choose(each) for each in found], found if scores else None

    def links_and_scores(self, hidden: Tensor, spans: Tensor, sizes: tuple[int, int] | None) -> tuple[Tensor, Tensor]:
        """Like :meth:`Method.links_and_scores`; links are found on the host."""
        tokens = (torch.arange(size, device=spans.device) for size in sizes or side_sizes(spans))
        scores = self.scores(hidden, spans, *(each.expand(len(spans), -1) for each in tokens))
        links = torch.zeros(scores.shape, dtype=torch.bool)
        for matrix, values in zip(links, scores.cpu().numpy(), strict=True):
            if found := self.choose(values):
                matrix[tuple(torch.tensor(list(found)).T)] = True
        return links.to(scores.device), scores


def require_transport(method: str) -> None:
    """Raise :class:`XalignError` for a method that cannot read a pointer's scores."""
    if method != "transport":
        problem, parameters = "only transport reads a pointer's scores", ("method", "similarity")
        raise XalignError(problem, parameter=parameters, found=method, remedy=Parameter("method", "transport"))
