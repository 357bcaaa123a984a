"""Fit a link scorer to the gold links of several sets, on frozen states of words."""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from xalign_fairseq.aligner.statistical.choice import fit_calibration
from xalign_fairseq.links.pharaoh import Gold, Link
from xalign_fairseq.transport.link_scorer import LinkScorer, Similarity, link_loss
from xalign_fairseq.transport.pair_features import WordStates

SIMILARITY_PAIRS = 16  # pairs per update of the similarity
CANDIDATE = 0.05  # pairs of words below this probability are not used for calibration


@dataclass(frozen=True, eq=False)
class GoldPair:
    """The words of a sentence pair, (1, W, L, H) in half precision, and the gold links."""

    src: WordStates
    tgt: WordStates
    gold: Gold

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of source and target words."""
        return self.src.tokens.shape[1], self.tgt.tokens.shape[1]

    def words(self) -> tuple[WordStates, WordStates]:
        """Both sides in float32."""
        src, tgt = (WordStates(each.states.float(), each.tokens.float()) for each in (self.src, self.tgt))
        return src, tgt


@dataclass(frozen=True)
class Fitting:
    """The networks' epochs (two thirds for the similarity), minimum updates, and maximum word pairs per batch."""

    epochs: int = 6
    updates: int = 600
    lr: float = 3e-3
    decay: float = 0.01
    cells: int = 16384
    seed: int = 1

    def epochs_of(self, batches: int, share: float = 1.0) -> int:
        """The number of epochs, or a share of it, for a number of batches."""
        return math.ceil(max(self.epochs * share, self.updates / max(1, batches)))


def fit_link_scorer(
    sets: Sequence[Sequence[GoldPair]],
    new: Callable[[], LinkScorer],
    fitting: Fitting = Fitting(),
    progress: Callable[[str], object] = lambda line: None,
) -> LinkScorer:
    """Fit a scorer to the gold links of all sets; a set's weight is the square root of its number of word pairs.

    The networks read a similarity fitted to other sets, or to the other half of one: it is overconfident on its own.
    """
    torch.manual_seed(fitting.seed)
    groups = [list(each) for each in sets] if len(sets) > 1 else [list(sets[0][::2]), list(sets[0][1::2])]
    scorer = new()
    rows: list[tuple[Tensor, Tensor, float]] = []
    for number, group in enumerate(groups):
        others = [pair for at, each in enumerate(groups) if at != number for pair in each]
        scorer.similarity = _fit_similarity(new().similarity, others, scorer, fitting)
        weight = max(1, sum(math.prod(pair.shape) for pair in group)) ** -0.5
        rows += [(*_example(scorer, pair), weight) for pair in group if min(pair.shape)]
        progress(f"similarity without group {number + 1} of {len(groups)}")
    sample = torch.cat([features.flatten(0, 1) for features, _, _ in rows[:: max(1, len(rows) // 400)]])
    scorer.fit_scale(sample.float())
    _fit_rounds(scorer, rows, fitting)
    progress("networks")
    _calibrate(scorer, rows, fitting)
    everything = [pair for group in groups for pair in group]
    scorer.similarity = _fit_similarity(new().similarity, everything, scorer, fitting)
    return scorer.eval()


def _fit_similarity(
    similarity: Similarity, pairs: Sequence[GoldPair], scorer: LinkScorer, fitting: Fitting
) -> Similarity:
    """Raise the probability of sure links in both softmaxes, as self-training does for the model's links."""
    known = [pair for pair in pairs if pair.gold.sure]
    sides = [[scorer.mixed(each)[0] for each in pair.words()] for pair in known]
    batches = _batches([torch.Size(pair.shape) for pair in known], fitting.cells // 2, SIMILARITY_PAIRS)
    epochs = fitting.epochs_of(len(batches), 2 / 3)
    optimizer = torch.optim.AdamW(similarity.parameters(), lr=fitting.lr, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, epochs * len(batches))
    random = np.random.default_rng(fitting.seed)
    similarity.train()
    for _ in range(epochs):
        for at in random.permutation(len(batches)):
            rows = batches[at]
            src, tgt = (pad_sequence([sides[row][side] for row in rows], batch_first=True) for side in (0, 1))
            loss = similarity_loss(similarity, src, tgt, [known[row].gold.sure for row in rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return similarity.eval()


def similarity_loss(similarity: Similarity, src: Tensor, tgt: Tensor, links: Sequence[Collection[Link]]) -> Tensor:
    """-log p(j | i) - log q(i | j), averaged over each pair's links, then over pairs."""
    inside = src.any(2)[:, :, None] & tgt.any(2)[:, None, :]
    logits = similarity(src, tgt) * similarity.log_scale.exp()
    logits = logits.masked_fill(~inside, torch.finfo(logits.dtype).min)
    found = [(row, i, j, 1 / len(each)) for row, each in enumerate(links) for i, j in sorted(each)]
    row, i, j = torch.tensor([each[:3] for each in found]).T
    shares = torch.tensor([each[3] for each in found])
    losses = logits.log_softmax(2)[row, i, j] + logits.log_softmax(1)[row, i, j]
    total: Tensor = (losses * shares).sum()
    return -total / len(links)


@torch.no_grad()
def _example(scorer: LinkScorer, pair: GoldPair) -> tuple[Tensor, Tensor]:
    """Features (n, m, C) in half precision, and labels (n, m): 1 sure, 2 possible, 0 neither."""
    features = scorer.features(*pair.words())
    labels = torch.zeros(pair.shape, dtype=torch.int8)
    for links, value in ((pair.gold.possible, 2), (pair.gold.sure, 1)):
        if links:
            labels[tuple(torch.tensor(sorted(links)).T)] = value
    return features.rows(slice(None))[0].half(), labels


def _fit_rounds(scorer: LinkScorer, rows: Sequence[tuple[Tensor, Tensor, float]], fitting: Fitting) -> None:
    """Fit both rounds by binary cross-entropy."""
    batches = _batches([labels.shape for _, labels, _ in rows], fitting.cells)
    optimizer = torch.optim.AdamW(scorer.rounds.parameters(), lr=fitting.lr, weight_decay=fitting.decay)
    epochs = fitting.epochs_of(len(batches))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, fitting.lr, max(2, epochs * len(batches)), pct_start=0.1)
    random = np.random.default_rng(fitting.seed)
    scorer.train()
    for _ in range(epochs):
        for at in random.permutation(len(batches)):
            features, labels, weights = _padded([rows[row] for row in batches[at]])
            logits = scorer.score(_rows_of(features), labels.shape, labels >= 0)
            counted = weights[:, None, None] * ((labels == 0) | (labels == 1))
            loss = sum(link_loss(each, labels == 1, counted) for each in logits) / counted.sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    scorer.eval()


@torch.no_grad()
def _calibrate(scorer: LinkScorer, rows: Sequence[tuple[Tensor, Tensor, float]], fitting: Fitting) -> None:
    """Platt scaling to sure and possible links, with features from a similarity fitted to other sets."""
    found: list[Tensor] = []
    hits: list[Tensor] = []
    for batch in _batches([labels.shape for _, labels, _ in rows], fitting.cells):
        features, labels, _ = _padded([rows[row] for row in batch])
        _, logits = scorer.score(_rows_of(features), labels.shape, labels >= 0)
        here = (labels >= 0) & (logits.sigmoid() > CANDIDATE)
        found.append(logits[here].sigmoid())
        hits.append(labels[here] > 0)
    values, gold = torch.cat(found).double().numpy(), torch.cat(hits).numpy()
    if 0 < gold.sum() < len(gold):
        scorer.calibration.copy_(torch.tensor(fit_calibration(values, gold)))


def _rows_of(features: Tensor) -> Callable[[slice], Tensor]:
    """A function from rows to their features (B, n, m, C)."""
    return lambda rows: features[:, rows]


def _batches(shapes: Sequence[torch.Size], cells: int, most: int = 1 << 30) -> list[list[int]]:
    """Batches of rows of similar shapes: at least one row, at most these numbers of cells and rows."""
    batches: list[list[int]] = []
    widest = (0, 0)
    for row in sorted(range(len(shapes)), key=lambda at: tuple(shapes[at])):
        wider = max(widest[0], shapes[row][0]), max(widest[1], shapes[row][1])
        size = len(batches[-1]) + 1 if batches else 0
        if not 0 < size <= most or size * wider[0] * wider[1] > cells:
            batches.append([])
            wider = (shapes[row][0], shapes[row][1])
        batches[-1].append(row)
        widest = wider
    return batches


def _padded(rows: Sequence[tuple[Tensor, Tensor, float]]) -> tuple[Tensor, Tensor, Tensor]:
    """Features (B, n, m, C) in float32, labels (B, n, m), -1 outside the pairs, and weights (B,)."""
    n, m = (max(labels.shape[side] for _, labels, _ in rows) for side in (0, 1))
    features = torch.zeros(len(rows), n, m, rows[0][0].shape[2])
    labels = torch.full((len(rows), n, m), -1, dtype=torch.int8)
    for at, (own, gold, _) in enumerate(rows):
        features[at, : gold.shape[0], : gold.shape[1]] = own
        labels[at, : gold.shape[0], : gold.shape[1]] = gold
    return features, labels, torch.tensor([weight for _, _, weight in rows])
