"""The features of each pair of words for a link scorer: similarities, both softmaxes, other candidates, neighbours,
places.

Every feature has a mirror, its value with source and target exchanged; a symmetric feature is its own mirror. So one
network reads a pair in both directions.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.transport.precision import at_least_float32
from xalign_fairseq.transport.similarity import side_positions


class WordStates(NamedTuple):
    """The words of one side of a batch of pairs.

    Attributes:
        states: (B, W, L, H), float32 or float64, of norm 1; 0 without a word.
        tokens: (B, W), the number of tokens of each word; 0 without a word or tokens.
    """

    states: Tensor
    tokens: Tensor

    @property
    def lengths(self) -> Tensor:
        """(B,) words of each sentence, up to the last word with a token."""
        return ((self.tokens > 0) * torch.arange(1, self.tokens.shape[1] + 1, device=self.tokens.device)).amax(1)


def word_states(
    hidden: Tensor, spans: Tensor, side: int, words: Tensor, layers: int, width: int | None = None
) -> WordStates:
    """The words of one side; the gradient flows into the hidden states.

    Args:
        hidden: (B, T, L * H), the layers concatenated in the last dimension.
        spans: (B, 4) int64, [src start, src end, tgt start, tgt end).
        side: 0 source, 1 target.
        words: (B, n) int, the word index of each token of the side; -1 for a token of no word.
        layers: L.
        width: W, larger than the highest word index; None: read back from the device.
    """
    positions, mask = side_positions(spans, side, words.shape[1])
    pairs = torch.arange(len(hidden), device=hidden.device)
    rows = at_least_float32(hidden[pairs[:, None], positions])
    if width is None:
        width = int(words.max()) + 1 if words.numel() else 0
    owner = torch.where(mask, words, -1)
    # Products with 0 and 1 are deterministic, also on a GPU.
    member = (torch.arange(width, device=words.device)[:, None] == owner[:, None, :]).to(rows.dtype)
    tokens = member.sum(2)
    means = (member @ rows) / tokens.clamp(min=1)[..., None]
    split = means.view(*means.shape[:2], layers, means.shape[2] // layers)
    return WordStates(F.normalize(split, dim=3), tokens)


FLOOR = 1e-4
# Neighbours whose scores are features: (i + a, j + b), each with its mirror.
NEIGHBOURS = ((1, 1), (-1, -1), (1, -1), (-1, 1), (0, 1), (1, 0), (0, -1), (-1, 0))
NEIGHBOUR_MIRRORS = (0, 1, 3, 2, 5, 4, 7, 6)
AROUND = (-2, -1, 1, 2)  # neighbouring words whose partners predict the place of a word's partner
FAR = 9.0


class ScoreMap:
    """Scores (B, n, m) of word pairs, 0 outside, and of their neighbours, for some rows at a time."""

    def __init__(self, scores: Tensor):
        self.scores = scores
        self.padded = torch.nn.functional.pad(scores, (2, 2, 2, 2))
        self.sums = scores.sum(2), scores.sum(1)
        self._best = _two_best(scores, 2), _two_best(scores, 1)

    def around(self, rows: slice, a: int, b: int) -> Tensor:
        """The scores of (i + a, j + b) for the rows i."""
        n, m = self.scores.shape[1:]
        start, stop, _ = rows.indices(n)
        return self.padded[:, 2 + a + start : 2 + a + stop, 2 + b : 2 + b + m]

    def others(self, rows: slice) -> tuple[Tensor, Tensor]:
        """The best other score of the row and of the column, for each word pair of these rows."""
        here = self.scores[:, rows]
        (first, second), (col_first, col_second) = self._best
        of_row = torch.where(here >= first[:, rows, None], second[:, rows, None], first[:, rows, None])
        return of_row, torch.where(here >= col_first[:, None], col_second[:, None], col_first[:, None])

    def neighbours(self, rows: slice) -> Iterator[Tensor]:
        """The scores of the eight neighbours, in the order of ``NEIGHBOURS``."""
        return (self.around(rows, a, b) for a, b in NEIGHBOURS)


def _two_best(scores: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """The two highest scores along a dimension; 0 for a missing second one."""
    if scores.shape[dim] < 2:
        return scores.sum(dim), torch.zeros_like(scores.sum(dim))
    first, second = scores.topk(2, dim).values.unbind(dim)
    return first, second


class PairFeatures:
    """The features (B, rows, m, C) of word pairs, for some rows of the source at a time.

    Args:
        src: words of the source.
        tgt: words of the target.
        products: (B, n, m), a learned similarity of the words, at most 1.
        scale: of ``products`` in the softmaxes over either side.
    """

    def __init__(self, src: WordStates, tgt: WordStates, products: Tensor, scale: Tensor):
        self._src, self._tgt, self._products = src, tgt, products
        inside = (src.tokens > 0)[:, :, None] & (tgt.tokens > 0)[:, None, :]
        logits = (products * scale).masked_fill(~inside, torch.finfo(products.dtype).min)
        self.log_forward, self.log_backward = logits.log_softmax(2), logits.log_softmax(1)
        self._forward, self._backward = (
            each.exp().masked_fill(~inside, 0.0) for each in (self.log_forward, self.log_backward)
        )
        self.map = ScoreMap((self._forward * self._backward).clamp(min=FLOOR**4).sqrt().masked_fill(~inside, 0.0))
        self._centred = _centred(src), _centred(tgt)
        self._places = _places(src), _places(tgt)
        weights = (self.map.scores + 1e-6).masked_fill(~inside, 0.0)
        # For each side: how near a word is to the places of its neighbours' partners.
        self._near = (
            _near(_expected(weights, 2), src.lengths, weights.shape[2]),
            _near(_expected(weights, 1), tgt.lengths, weights.shape[1]).mT,
        )

    def rows(self, rows: slice) -> Tensor:
        """The features of some rows; undefined outside the pair."""
        src, tgt = self._src.states[:, rows], self._tgt.states
        sides = ((src, tgt), (self._centred[0][:, rows], self._centred[1]))
        found = [torch.einsum("bilh,bjlh->bijl", *each) for each in sides]
        forward, backward, score = self._forward[:, rows], self._backward[:, rows], self.map.scores[:, rows]
        of_row, of_col = self.map.others(rows)
        row_sum, col_sum = self.map.sums[0][:, rows, None], self.map.sums[1][:, None]
        log_score = _log(score)
        each_word = zip(_word_features(self._src), _word_features(self._tgt), strict=True)
        of_words = [side for src, tgt in each_word for side in (src[:, rows, None], tgt[:, None])]
        single = [
            self._products[:, rows],
            score,
            self.map.around(rows, 2, 2) + self.map.around(rows, -2, -2),
            (self._places[0][:, rows, None] - self._places[1][:, None]).abs(),
            _log(forward),
            _log(backward),
            of_row,
            of_col,
            log_score - _log(of_row),
            log_score - _log(of_col),
            row_sum,
            col_sum,
            self._near[0][:, rows],
            self._near[1][:, rows],
            *of_words,
            *self.map.neighbours(rows),
        ]
        return torch.cat([*found, torch.stack([each.expand_as(score) for each in single], 3)], 3)


def mirrors(layers: int) -> list[int]:
    """The number of each feature's mirror."""
    symmetric = 2 * layers + 4
    paired = [symmetric + (at ^ 1) for at in range(16)]
    return [*range(symmetric), *paired, *(symmetric + 16 + at for at in NEIGHBOUR_MIRRORS)]


def _centred(words: WordStates) -> Tensor:
    """The states without the mean of their sentence, of norm 1."""
    here = (words.tokens > 0)[:, :, None, None]
    mean = (words.states * here).sum(1, keepdim=True) / here.sum(1, keepdim=True).clamp(min=1)
    # A sentence of one word equals its mean: without a floor its gradient would be unbounded.
    return torch.nn.functional.normalize(words.states - mean, dim=3, eps=1e-3) * here


def _places(words: WordStates) -> Tensor:
    """(B, W): the place of each word in its sentence, from 0 to 1."""
    at = torch.arange(words.tokens.shape[1], device=words.tokens.device) + 0.5
    return at / words.lengths.clamp(min=1)[:, None]


def _word_features(words: WordStates) -> Iterator[Tensor]:
    """The tokens of each word, the words of its sentence, and whether it is the first or last; each (B, W)."""
    at = torch.arange(words.tokens.shape[1], device=words.tokens.device)
    last = words.lengths[:, None] - 1
    yield words.tokens.clamp(max=6) / 4
    yield ((last + 1).clamp(max=60) / 30).to(words.tokens.dtype).expand_as(words.tokens)
    yield ((at == 0) | (at == last)).to(words.tokens.dtype)


def _log(values: Tensor) -> Tensor:
    return values.clamp(min=FLOOR).log() / 4


def _expected(weights: Tensor, dim: int) -> Tensor:
    """The mean place along a dimension, by weights (B, n, m)."""
    at = torch.arange(weights.shape[dim], device=weights.device, dtype=weights.dtype)
    total = (weights * (at if dim == 2 else at[:, None])).sum(dim)
    return total / weights.sum(dim).clamp(min=1e-6)


def _near(expected: Tensor, lengths: Tensor, size: int) -> Tensor:
    """(B, W, size): exp(-d / 2), d the least distance to the places that neighbouring words predict."""
    width = expected.shape[1]
    at = torch.arange(width, device=expected.device)
    places = torch.arange(size, device=expected.device)
    least = expected.new_full((len(expected), width, size), FAR)
    for offset in AROUND:
        other = at + offset
        there = (other >= 0) & (other < lengths[:, None])
        distance = (expected[:, other.clamp(0, width - 1), None] - places - offset).abs()
        least = torch.where(there[..., None], torch.minimum(least, distance), least)
    return (-least / 2).exp()
