"""Parallel sentence identification (awesome-align, Dou & Neubig 2021)."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Optional

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.data.batches import Batch, Bitext
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.objectives.registry import Loss, Objective, ObjectiveConfig, register_objective
from xalign_fairseq.objectives.step import Step, declared
from xalign_fairseq.transport.precision import at_least_float32


@dataclass
class PsiConfig(ObjectiveConfig):
    """Options of ``psi``."""

    layer: Optional[int] = field(
        default=None,
        metadata={"help": "layer whose <s> tells (default: at 9 of 12, as released: one above the aligned layer)"},
    )


class PsiHead(nn.Module):
    """(z_0, z_1) = W2 tanh(W1 h + b1) + b2: the scores of sentences that are not parallel, and of those that are.

    Args:
        dim: the hidden size.

    Example::

        PsiHead(768)(torch.randn(4, 768)).shape   # (4, 2)
    """

    def __init__(self, dim: int):
        super().__init__()
        self.transform = nn.Linear(dim, dim)
        self.decoder = nn.Linear(dim, 2)
        for map_ in (self.transform, self.decoder):
            nn.init.normal_(map_.weight, std=0.02)
            nn.init.zeros_(map_.bias)

    def forward(self, hidden: Tensor) -> Tensor:
        """hidden (N, H) -> scores (N, 2)."""
        return self.decoder(torch.tanh(self.transform(hidden)))


@register_objective("psi", dataclass=PsiConfig)
class ParallelSentenceIdentification(Objective):
    """L = -sum of log s(x, y) over pairs - sum of log(1 - s(x, y')) over exchanged ones: awesome-align's ``psi``.

    s is the probability that two sentences are translations, softmax(z)_1 of a head on the state of ``<s>``, where both
    are read in one unmasked sequence. Beside each pair stands its source with the target y' of another pair of the
    batch in the same languages and order, a drawn one; one that would be longer than the encoder's positions, or a pair
    without another, has none. Training draws each pair in both directions, so that either side comes first and either
    is exchanged, as in the released code, which draws that at random for every example, and y' from the whole corpus.
    The count is that of both kinds: choose ``--loss-normalization per-objective`` beside other objectives, for the
    released mean. The released sequence has a ``[CLS]`` before the second sentence, too.
    """

    needs = ("bitext",)
    stats = ("accuracy",)
    counts_ahead = True
    contrasts = True
    cfg: PsiConfig

    def prepare(self, config: EncoderConfig) -> None:
        """Resolve the layer."""
        usual = max(1, round(config.encoder_layers * 9 / 12))
        self.layer = config.resolve_layer(usual if self.cfg.layer is None else self.cfg.layer, "--psi-layer")
        self.most = config.max_positions

    def build_head(self, config: EncoderConfig) -> nn.Module:
        """What tells."""
        return PsiHead(config.encoder_embed_dim)

    def count(self, batch: Batch) -> int:
        """Pairs with tokens on both sides, and exchanged ones."""
        bitext = declared(batch.bitext, "bitext")
        return int(bitext.sizes.all(1).sum() + (partners(bitext, self.most) >= 0).sum())

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        """The pairs."""
        return [(step.bitext.input(), self.layer)]

    def forward(self, step: Step) -> Loss:
        """Exchange, read both kinds in one pass, tell them apart."""
        bitext = step.bitext
        chosen = partners(bitext, self.most)
        inputs = [bitext.input(), exchanged(bitext, chosen)]
        step.encoder.expect([(given, self.layer) for given in inputs])
        first = torch.cat([step.encoder.states(given).layer(self.layer)[:, 0] for given in inputs])
        scores = at_least_float32(step.head(first))
        device = first.device
        labels = torch.arange(len(first), device=device).lt(len(chosen)).long()
        counted = torch.from_numpy(np.concatenate([bitext.sizes.all(1), chosen >= 0])).to(device)
        losses = F.cross_entropy(scores, labels, reduction="none")
        count = counted.sum()
        right = (scores.detach().argmax(1) == labels) & counted
        return Loss(losses.masked_fill(~counted, 0.0).sum(), count, {"accuracy": (right.sum(), count)})


def partners(bitext: Bitext, most: int) -> np.ndarray:
    """(B,) int64 on the host: the pair whose target each source is exchanged with; -1 without one.

    The pairs of the same languages in the same order that have tokens on both sides stand in a ring, by their draws, so
    that neither the place in the batch nor the length tells; each one's partner is the next, if both sentences fit into
    ``most`` positions.
    """
    found = np.full(len(bitext.sizes), -1)
    whole = np.flatnonzero(bitext.sizes.all(1))
    for languages in np.unique(bitext.host.langs[whole], axis=0):
        alike = whole[(bitext.host.langs[whole] == languages).all(1)]
        if len(alike) > 1:
            ring = alike[bitext.host.draw[alike, 0].argsort(kind="stable")]
            found[ring] = np.roll(ring, -1)
    length = bitext.sizes[:, 0] + bitext.sizes[found, 1] + 3
    return np.where((found >= 0) & (length <= most), found, -1)


def exchanged(bitext: Bitext, chosen: np.ndarray) -> Input:
    """``<s> src </s> tgt' </s>`` for the encoder, the target that of row ``chosen``; a row of -1 keeps its own."""
    rows = np.where(chosen >= 0, chosen, np.arange(len(chosen)))
    n, m = bitext.sizes[:, 0], bitext.sizes[rows, 1]
    lengths = n + m + 3
    device = bitext.tokens.device
    at = torch.arange(int(lengths.max()), device=device).expand(len(rows), -1)
    src, tgt = bitext.side(0), bitext.side(1)[torch.from_numpy(rows).to(device)]
    ends = torch.from_numpy(np.stack([n, lengths], 1)).to(device)
    start = ends[:, :1] + 2  # of the target, whose side has it at 1
    from_tgt = tgt.gather(1, (at - start + 1).clamp(0, tgt.shape[1] - 1))
    tokens = torch.where(at < start, src.gather(1, at.clamp(max=src.shape[1] - 1)), from_tgt)
    languages = None
    if bitext.language_rows is not None:  # the same pair's of both, but for where the target begins
        languages = torch.where(at >= start, bitext.language_rows[:, 1:], bitext.language_rows[:, :1])
    return Input(tokens.masked_fill(at >= ends[:, 1:], PAD), languages, lengths=lengths)
