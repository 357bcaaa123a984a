"""Train an encoder, by low-rank changes, together with its link scorer on gold links of several languages."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.aligner.gold_sets import GoldSet
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.core.text.pairs import WordPair
from xalign_fairseq.encoder.pretrained.low_rank import Changes
from xalign_fairseq.links.pharaoh import Gold
from xalign_fairseq.transport.link_scorer import LinkScorer, link_loss
from xalign_fairseq.transport.pair_features import WordStates
from xalign_fairseq.transport.precision import products_in

Example = tuple[WordPair, Gold]


@dataclass(frozen=True)
class Changing:
    """Settings for training an encoder, chosen on development gold; pairs of more than ``words`` words are skipped."""

    rank: int = 8
    lr: float = 2e-3
    scorer_lr: float = 1e-3
    batch: int = 16
    epochs: float = 3
    updates: int = 100
    words: int = 160


class Change(nn.Module):
    """A low-rank change of a linear map: adds up (down x), initially 0."""

    def __init__(self, changed: nn.Linear, rank: int):
        super().__init__()
        self.down = nn.Parameter(torch.randn(rank, changed.in_features) / changed.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(changed.out_features, rank))
        self.handle = changed.register_forward_hook(self._add)

    def _add(self, changed: nn.Module, given: tuple[Tensor, ...], made: Tensor) -> Tensor:
        return made + F.linear(F.linear(given[0], self.down), self.up).to(made.dtype)


def mean_of(trained: Sequence[tuple[Changes, Mapping[str, Tensor]]], rank: int) -> tuple[Changes, dict[str, Tensor]]:
    """The mean of trainings from one start, at this rank; it makes fewer errors than each (Wortsman et al., 2022)."""
    changes = {name: _mean([each[name] for each, _ in trained], rank) for name in trained[0][0]}
    return changes, {name: torch.stack([each[name] for _, each in trained]).mean(0) for name in trained[0][1]}


def _mean(changes: Sequence[tuple[Tensor, Tensor]], rank: int) -> tuple[Tensor, Tensor]:
    """The product of this rank nearest to the mean of the products (Eckart and Young, 1936)."""
    products = torch.stack([up @ down for up, down in changes])
    up, sizes, down = torch.linalg.svd(products.mean(0), full_matrices=False)
    return up[:, :rank] * sizes[:rank], down[:rank].contiguous()


def train_together(
    aligner: Aligner,
    scorer: LinkScorer,
    sets: Sequence[GoldSet],
    seed: int,
    dtype: torch.dtype,
    changing: Changing = Changing(),
    say: Callable[[str], object] = lambda line: None,
) -> dict[str, tuple[Tensor, Tensor]]:
    """Train low-rank changes of a copy, factors (O, r) and (r, I), and its scorer in place, by the losses of links."""
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    examples = [
        (pair, gold)
        for each in sets
        for pair, gold in zip(each.pairs, each.golds, strict=True)
        if min(map(len, pair)) > 0 and sum(map(len, pair)) <= changing.words
    ]
    encoder = aligner.encoder.requires_grad_(False)
    layers = encoder.sentence_encoder.layers[: max(scorer.layers)]
    linear = {name: each for name, each in layers.named_modules() if isinstance(each, nn.Linear)}
    changes = {f"sentence_encoder.layers.{name}.weight": Change(each, changing.rank) for name, each in linear.items()}
    own = [each for change in changes.values() for each in (change.up, change.down)]
    scorer.requires_grad_(True).calibration.copy_(torch.tensor([1.0, 0.0]))
    groups = [{"params": own, "lr": changing.lr}, {"params": [*scorer.parameters()], "lr": changing.scorer_lr}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    updates = max(changing.updates, int(changing.epochs * len(examples) / changing.batch))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda done: min(10 * (done + 1) / updates, (updates - done) / (0.9 * updates))
    )
    scorer.train()
    encoder.train()
    for update, batch in zip(range(updates), _batches(examples, changing.batch, random), strict=False):
        optimizer.zero_grad()
        found = 0.0
        links = max(1, sum(len(gold.sure) for _, gold in batch))
        with products_in(dtype, aligner.device):
            for rows, (src, tgt) in aligner.states_of_words([pair for pair, _ in batch], scorer.layers):
                with torch.autocast(aligner.device.type, enabled=False):
                    loss = _loss(scorer, src, tgt, [batch[row][1] for row in rows]) / links
                loss.backward()
                found += loss.item()
        nn.utils.clip_grad_norm_([*own, *scorer.parameters()], 1.0)
        optimizer.step()
        schedule.step()
        if update % 50 == 0:
            say(f"{update} of {updates} updates, loss {found:.2f}")
    for change in changes.values():
        change.handle.remove()
    scorer.eval()
    encoder.eval()
    return {name: (change.up.detach(), change.down.detach()) for name, change in changes.items()}


def _loss(scorer: LinkScorer, src: WordStates, tgt: WordStates, golds: Sequence[Gold]) -> Tensor:
    """The losses of both rounds and of the similarity's softmaxes, summed over the sure links."""
    scores = scorer(src, tgt)
    labels = torch.zeros_like(scores.log_forward)
    inside = (src.tokens > 0)[:, :, None] & (tgt.tokens > 0)[:, None, :]
    counted = inside.to(labels.dtype)
    n, m = labels.shape[1:]
    for row, gold in enumerate(golds):
        for links, values, value in ((gold.possible - gold.sure, counted, 0.0), (gold.sure, labels, 1.0)):
            if there := [link for link in links if link[0] < n and link[1] < m]:
                values[(row, *torch.tensor(there).T)] = value
    both = scores.log_forward + scores.log_backward
    linked = labels > 0
    total: Tensor = -both.masked_fill(~(linked & inside), 0.0).sum()
    for logits in scores.rounds:
        total = total + link_loss(logits, linked, counted * inside)
    return total


def _batches(examples: Sequence[Example], size: int, random: np.random.Generator) -> Iterator[list[Example]]:
    """Endless batches of similar lengths in random order."""
    lengths = np.array([sum(map(len, pair)) for pair, _ in examples])
    while True:
        order = np.argsort(lengths + random.uniform(0, 8, len(lengths)))
        for batch in random.permutation(math.ceil(len(order) / size)):
            yield [examples[at] for at in order[batch * size : (batch + 1) * size]]
