"""Links of words instead of subwords: strong links, and weaker neighbours that grow from them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.core.errors import check_values
from xalign_fairseq.links.growing import grown_links
from xalign_fairseq.links.pharaoh import Link
from xalign_fairseq.transport.method import WordMethod
from xalign_fairseq.transport.similarity import pair_cosines

# For a long side, the token-by-word table would be larger than the similarities.
WORDS_AT_ONCE = 512


@dataclass(frozen=True)
class Grown(WordMethod):
    r"""Softmaxes of cosines over either side, summed to words, and links that grow.

    With :math:`p(j \mid i)` the softmax over the target's tokens of :math:`\cos(h_i, h_j) / T` and :math:`p(i \mid j)`
    that over the source's, a pair of words has the score

    .. math:: s(u, v) = \sqrt{P(v \mid u) P(u \mid v)}, \quad
              P(v \mid u) = \frac{1}{|u|} \sum_{i \in u} \sum_{j \in v} p(j \mid i)

    so a word of several subwords counts once, and its subwords may point at different subwords of one partner. Links
    are pairs with a score of at least ``threshold``. From these, weaker links of at least ``growth`` times
    ``threshold`` grow as in grow-diag-final-and (:func:`~xalign_fairseq.links.growing.grown_links`). The score is
    the probability.

    Args:
        temperature: T.
        threshold: the minimum score of the links from which others grow.
        growth: the minimum score of grown links, as a share of ``threshold``; 1: none grow.
    """

    name: ClassVar[str] = "grow"

    temperature: float = 0.05
    threshold: float = 0.5
    growth: float = 0.5

    def __post_init__(self) -> None:
        check_values(
            "an option of grow is out of range",
            ("temperature", self.temperature, 1e-3 <= self.temperature < math.inf, "from 0.001"),
            ("threshold", self.threshold, 0 < self.threshold <= 1, "above 0, at most 1"),
            ("growth", self.growth, 0 < self.growth <= 1, "above 0, at most 1"),
        )

    @torch.no_grad()
    def scores(self, hidden: Tensor, spans: Tensor, src_words: Tensor, tgt_words: Tensor) -> Tensor:
        """s (B, words of the longest source, words of the longest target); 0 beyond a pair's own words."""
        cosine, src_mask, tgt_mask = pair_cosines(hidden, spans, (src_words.shape[1], tgt_words.shape[1]))
        inside = src_mask[:, :, None] & tgt_mask[:, None, :]
        scaled = (cosine / self.temperature).masked_fill_(~inside, torch.finfo(cosine.dtype).min)
        forward, backward = (scaled.softmax(dim).masked_fill_(~inside, 0.0) for dim in (2, 1))
        there = _word_sums(forward, src_words, tgt_words) / _tokens(src_words, cosine.dtype)[:, :, None]
        back = _word_sums(backward, src_words, tgt_words) / _tokens(tgt_words, cosine.dtype)[:, None, :]
        return (there * back).sqrt()

    def choose(self, scores: np.ndarray) -> dict[Link, float]:
        return grown_links(scores, self.threshold, self.least)

    @property
    def least(self) -> float:
        """The minimum score of a grown link."""
        return self.growth * self.threshold


def _word_sums(values: Tensor, src_words: Tensor, tgt_words: Tensor) -> Tensor:
    """Sums (B, words, words) of the values (B, n, m) over the token pairs of each word pair."""
    rows = torch.cat([part.mT @ values[:, at] for at, part in _members(src_words, values.dtype)], 1)
    return torch.cat([rows[:, :, at] @ part for at, part in _members(tgt_words, values.dtype)], 2)


def _tokens(words: Tensor, dtype: torch.dtype) -> Tensor:
    """The number of tokens of each word, (B, words), at least 1."""
    return torch.cat([part.sum(1) for _, part in _members(words, dtype)], 1).clamp_min(1.0)


def _members(words: Tensor, dtype: torch.dtype) -> Iterator[tuple[slice | Tensor, Tensor]]:
    """Groups of words: their tokens, and the membership of tokens in words, (B, tokens, words), 1 or 0."""
    most = int(words.max()) + 1 if words.numel() else 0
    for first in range(0, max(1, most), WORDS_AT_ONCE):
        numbers = torch.arange(first, min(first + WORDS_AT_ONCE, most), device=words.device)
        at: slice | Tensor = slice(None)
        if most > WORDS_AT_ONCE:
            at = ((words >= numbers[0]) & (words <= numbers[-1])).any(0).nonzero()[:, 0]
        yield at, (words[:, at, None] == numbers).to(dtype)
