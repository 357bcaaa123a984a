"""A small network that scores word pairs: a learned similarity, and two rounds over the pairs' features."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.transport.layers import at_depth
from xalign_fairseq.transport.pair_features import NEIGHBOUR_MIRRORS, PairFeatures, ScoreMap, WordStates, mirrors

# Features are computed for 65,536 word pairs at a time, which bounds memory.
PAIRS_AT_ONCE = 1 << 16
# Of 12; other encoders use the same relative depths.
LAYERS, SIMILARITY_LAYERS = (4, 6, 7, 9), (6, 7)
CONTEXT_MIRRORS = [0, *(1 + at for at in NEIGHBOUR_MIRRORS), *(9 + (at ^ 1) for at in range(10))]


def usual_layers(layers: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The layers of a scorer and of its similarity, for the encoder's number of layers (chosen on development data)."""
    return at_depth(layers, *LAYERS), at_depth(layers, *SIMILARITY_LAYERS)


class Scores(NamedTuple):
    """Logits of both rounds and log-probabilities of the similarity's softmaxes over either side, all (B, n, m)."""

    rounds: tuple[Tensor, Tensor]
    log_forward: Tensor
    log_backward: Tensor


class Similarity(nn.Module):
    """cos(f(u), f(v)), where f(x) = [exp(d) * x, x A]: a learned weight per dimension, and some new dimensions."""

    def __init__(self, dim: int, rank: int, dropout: float = 0.0):
        super().__init__()
        self._dropout = dropout
        self.log_weights = nn.Parameter(torch.zeros(dim))
        self.added = nn.Parameter(torch.randn(dim, rank) * 0.01)
        self.log_scale = nn.Parameter(torch.tensor(2.5))

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """(B, n, m) from states (B, n, H) and (B, m, H)."""
        return self._map(src) @ self._map(tgt).mT

    def _map(self, states: Tensor) -> Tensor:
        states = F.dropout(states, self._dropout, self.training)
        return F.normalize(torch.cat([states * self.log_weights.exp(), states @ self.added], 2), dim=2)


class Round(nn.Module):
    """A network of two hidden layers that treats features and their mirrors equally, so the sides can be exchanged."""

    mirror: Tensor

    def __init__(self, mirror: Sequence[int], width: int, dropout: float = 0.0):
        super().__init__()
        self._dropout = dropout
        self.register_buffer("mirror", torch.tensor(mirror), persistent=False)
        self.first = nn.Linear(len(mirror), width)
        self.second = nn.Linear(width, width // 2)
        self.last = nn.Linear(width // 2, 1)

    def forward(self, features: Tensor) -> Tensor:
        """(...) from (..., C)."""
        there = self._read(F.linear(features, self.first.weight, self.first.bias))
        return there + self._read(F.linear(features, self.first.weight[:, self.mirror], self.first.bias))

    def _read(self, hidden: Tensor) -> Tensor:
        hidden = F.dropout(F.gelu(hidden), self._dropout, self.training)
        found: Tensor = self.last(F.gelu(self.second(hidden)))
        return found[..., 0]


class LinkScorer(nn.Module):
    r"""The probability that two words are linked, learned from gold links.

    A similarity (:class:`Similarity`) is learned on both sides' states, averaged over ``similarity_layers``. A small
    network reads features (:class:`~xalign_fairseq.transport.pair_features.PairFeatures`) of this similarity, the
    cosines of all layers, candidates, neighbours, places and tokens. A second network also reads the first one's
    probabilities in the pair's row, column and neighbourhood. Exchanging source and target does not change the scores.
    """

    mean: Tensor
    deviation: Tensor
    calibration: Tensor
    layer_numbers: Tensor
    similarity_numbers: Tensor

    def __init__(
        self,
        dim: int,
        layers: Sequence[int],
        similarity_layers: Sequence[int],
        rank: int = 64,
        width: int = 32,
        dropout: float = 0.0,
    ):
        super().__init__()
        mirror = mirrors(len(layers))
        self.similarity = Similarity(dim, rank, dropout)
        context = [len(mirror) + at for at in CONTEXT_MIRRORS]
        self.rounds = nn.ModuleList([Round(each, width, dropout) for each in (mirror, [*mirror, *context])])
        self.register_buffer("mean", torch.zeros(len(mirror)))
        self.register_buffer("deviation", torch.ones(len(mirror)))
        self.register_buffer("calibration", torch.tensor([1.0, 0.0]))
        # Floats: fairseq's moving average includes buffers and accepts no integers.
        self.register_buffer("layer_numbers", torch.tensor(layers, dtype=torch.float32))
        self.register_buffer("similarity_numbers", torch.tensor(similarity_layers, dtype=torch.float32))
        self._similarity_at = [tuple(layers).index(layer) for layer in similarity_layers]

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers whose states it reads."""
        return tuple(int(layer) for layer in self.layer_numbers.tolist())

    @property
    def dim(self) -> int:
        """The hidden size of its encoder."""
        return len(self.similarity.log_weights)

    def features(self, src: WordStates, tgt: WordStates) -> PairFeatures:
        """The features of a batch of pairs, with the learned similarity."""
        products = self.similarity(self.mixed(src), self.mixed(tgt))
        return PairFeatures(src, tgt, products, self.similarity.log_scale.exp())

    def mixed(self, words: WordStates) -> Tensor:
        """(B, W, H): the similarity's input, the mean of its layers' states, of norm 1."""
        return F.normalize(torch.stack([words.states[:, :, at] for at in self._similarity_at]).sum(0), dim=2)

    def forward(self, src: WordStates, tgt: WordStates) -> Scores:
        """Logits of both rounds, undefined outside a pair; gradients flow into the states too."""
        features = self.features(src, tgt)
        rounds = self.score(features.rows, features.map.scores.shape, _inside(src, tgt))
        return Scores(rounds, features.log_forward, features.log_backward)

    def score(self, features: Callable[[slice], Tensor], shape: Sequence[int], inside: Tensor) -> tuple[Tensor, Tensor]:
        """The logits of both rounds for pairs (B, n, m), from a function that returns the features of some rows."""
        batch, n, m = shape
        size = max(1, PAIRS_AT_ONCE // max(1, batch * m))
        blocks = [slice(start, min(start + size, n)) for start in range(0, n, size)] or [slice(0, 0)]
        once = self.normal(features(blocks[0])) if len(blocks) == 1 else None  # several would need too much memory

        def read(rows: slice) -> Tensor:
            return self.normal(features(rows)) if once is None else once

        first = torch.cat([self.rounds[0](read(rows)) for rows in blocks], 1)
        around = first.detach()
        probable = ScoreMap(around.sigmoid().masked_fill(~inside, 0.0))
        second = torch.cat(
            [self.rounds[1](torch.cat([read(rows), _context(probable, around, rows)], 3)) for rows in blocks], 1
        )
        return first, around + second

    def normal(self, features: Tensor) -> Tensor:
        """Features, scaled to about mean 0 and standard deviation 1."""
        scaled: Tensor = (features - self.mean) / self.deviation
        return scaled

    @torch.no_grad()
    def probabilities(self, src: WordStates, tgt: WordStates) -> Tensor:
        """(B, n, m), calibrated; 0 outside a pair, and for a pair with non-finite states."""
        if not src.tokens.numel() or not tgt.tokens.numel():
            return src.tokens.new_zeros(len(src.tokens), src.tokens.shape[1], tgt.tokens.shape[1])
        scores: Scores = self(src, tgt)
        logits = scores.rounds[1]
        slope, shift = self.calibration
        inside = _inside(src, tgt)
        found: Tensor = (slope * logits + shift).sigmoid().masked_fill(~inside, 0.0)
        finite = found.flatten(1).isfinite().all(1) & logits.masked_fill(~inside, 0.0).flatten(1).isfinite().all(1)
        return found.masked_fill(~finite[:, None, None], 0.0)

    @torch.no_grad()
    def fit_scale(self, features: Tensor) -> None:
        """Fit mean and standard deviation to features (K, C), equal for each feature and its mirror."""
        both = torch.cat([features, features[:, mirrors(len(self.layers))]])
        self.mean.copy_(both.mean(0))
        self.deviation.copy_(both.std(0).clamp(min=0.05))


def _inside(src: WordStates, tgt: WordStates) -> Tensor:
    """(B, n, m): both are words."""
    return (src.tokens > 0)[:, :, None] & (tgt.tokens > 0)[:, None, :]


def _context(probable: ScoreMap, logits: Tensor, rows: slice) -> Tensor:
    """(B, rows, m, 19): the first round's results for a pair, its neighbours, and the other pairs of its row and
    column."""
    own = probable.scores[:, rows]
    of_row, of_col = probable.others(rows)
    padded = [torch.nn.functional.pad(each, (1, 1)) for each in probable.sums]
    n, m = probable.scores.shape[1:]
    start, stop, _ = rows.indices(n)
    beside = [torch.maximum(probable.around(rows, a, b), probable.around(rows, -a, -b)) for a, b in ((0, 1), (1, 0))]
    found = [
        logits[:, rows].clamp(-8, 8) / 4,
        *probable.neighbours(rows),
        of_row,
        of_col,
        probable.sums[0][:, rows, None] - own,
        probable.sums[1][:, None] - own,
        beside[0] - of_row,
        beside[1] - of_col,
        padded[0][:, 2 + start : 2 + stop, None],
        padded[1][:, None, 2 : 2 + m],
        padded[0][:, start:stop, None],
        padded[1][:, None, :m],
    ]
    return torch.stack([each.expand_as(own) for each in found], 3)


def link_loss(logits: Tensor, links: Tensor, weights: Tensor) -> Tensor:
    """The weighted sum of the binary cross-entropies, all (B, n, m)."""
    losses = F.binary_cross_entropy_with_logits(logits, links.to(logits.dtype), reduction="none")
    return (losses * weights).masked_fill(weights == 0, 0.0).sum()
