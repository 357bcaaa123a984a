"""Parallel sentence identification (awesome-align, Dou & Neubig 2021)."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.data.batches import Batch, Bitext
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.encoder.transformer import initialise
from xalign_fairseq.objectives.registry import Loss, Objective, RunContext, Traits, option, register_objective
from xalign_fairseq.objectives.step import Step, declared
from xalign_fairseq.transport.layers import at_depth
from xalign_fairseq.transport.precision import at_least_float32


@register_objective("psi")
@dataclass
class PSI(Objective):
    """L = -sum of log s(x, y) over pairs - sum of log(1 - s(x, y')) over exchanged ones: awesome-align's ``psi``.

    s is the probability that two sentences are translations: softmax(z)_1 of a head on the state of ``<s>``, with both
    sentences in one unmasked sequence. Each source is also paired with the target y' of another pair in the batch with
    the same languages in the same order, unless the result is too long. The released code draws y' from the whole
    corpus and the order at random; here, training draws each pair in both directions. The count includes both kinds:
    use ``--loss-normalization per-objective`` with other objectives. The released sequence also has a ``[CLS]`` before
    the second sentence.
    """

    traits = Traits(needs=("bitext",), stats=("accuracy",), counts_ahead=True, contrasts=True)

    layer: int | None = option(
        None, "layer of the <s> state (default: 9 of 12, as released: one above the aligned layer)"
    )

    def bind(self, context: RunContext) -> None:
        super().bind(context)
        self.trained_layer = self.resolve_layer("layer", at_depth(context.config.encoder_layers, 9)[0])
        self.most = context.config.max_positions

    def build_head(self) -> nn.Module:
        """The classification head."""
        dim = self.context.config.encoder_embed_dim
        # (z_0, z_1) = W2 tanh(W1 h + b1) + b2: the scores for not parallel and for parallel sentences.
        parts = OrderedDict(transform=nn.Linear(dim, dim), tanh=nn.Tanh(), decoder=nn.Linear(dim, 2))
        return nn.Sequential(parts).apply(initialise)

    def count(self, batch: Batch) -> int:
        bitext = declared(batch.bitext, "bitext")
        return bitext.complete + int((partners(*on_host(bitext), self.most) >= 0).sum())

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        return [(step.bitext.input(), self.trained_layer)]

    def forward(self, step: Step) -> Loss:
        bitext = step.bitext
        langs, sizes, draw = on_device(bitext)
        chosen = partners(langs, sizes, draw, self.most)
        inputs = [bitext.input(), exchanged(bitext, partners(*on_host(bitext), self.most), chosen)]
        step.encoder.expect([(given, self.trained_layer) for given in inputs])
        first = torch.cat([step.encoder.states(given).layer(self.trained_layer)[:, 0] for given in inputs])
        scores = at_least_float32(step.head(first))
        labels = torch.arange(len(first), device=first.device).lt(len(chosen)).long()
        counted = torch.cat([(sizes > 0).all(1), chosen >= 0])
        losses = F.cross_entropy(scores, labels, reduction="none")
        count = counted.sum()
        right = (scores.detach().argmax(1) == labels) & counted
        return Loss(losses.masked_fill(~counted, 0.0).sum(), count, {"accuracy": (right.sum(), count)})


def on_host(bitext: Bitext) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Languages, sizes and draws of the pairs on the host, for :func:`partners`."""
    return bitext.host.langs, bitext.sizes, bitext.host.draw[:, 0]


def on_device(bitext: Bitext) -> tuple[Tensor, Tensor, Tensor]:
    return bitext.langs, bitext.spans[:, 1::2] - bitext.spans[:, ::2], bitext.draw[:, 0]


def partners(langs: Any, sizes: Any, draw: Any, most: int) -> Any:
    """(B,) int64: for each source, the pair that provides the exchanged target; -1 if there is none.

    Pairs with tokens on both sides and the same languages in the same order form a ring, sorted by draw. Each pair's
    partner is the next pair in the ring, if both sentences fit into ``most`` positions. ``langs`` (B, 2), ``sizes`` (B,
    2) and ``draw`` (B,) are host arrays, or device tensors (without synchronisation).
    """
    xp: Any = torch if isinstance(draw, Tensor) else np
    at = xp.ones_like(draw).cumsum(0) - 1
    earlier = (draw[:, None] < draw[None]) | ((draw[:, None] == draw[None]) & (at[:, None] < at[None]))
    rank = earlier.sum(0)
    whole = (sizes > 0).all(1)
    alike = (langs[:, None] == langs[None]).all(2) & whole[:, None] & whole[None] & (at[:, None] != at[None])
    steps = (rank[None] - rank[:, None] - 1) % len(draw)  # around the ring of all pairs
    found = xp.where(alike, steps, len(draw)).argmin(1)
    fits = sizes[:, 0] + sizes[found, 1] + 3 <= most
    return xp.where(alike.any(1) & fits, found, -1)


def exchanged(bitext: Bitext, on_host: np.ndarray, chosen: Tensor) -> Input:
    """``<s> src </s> tgt' </s>`` for the encoder, with the target of row ``chosen``; -1 keeps the row's own target."""
    own = np.arange(len(on_host))
    lengths = bitext.sizes[:, 0] + bitext.sizes[np.where(on_host >= 0, on_host, own), 1] + 3
    device = bitext.tokens.device
    rows = torch.where(chosen >= 0, chosen, torch.arange(len(chosen), device=device))
    sizes = on_device(bitext)[1]
    at = torch.arange(int(lengths.max()), device=device).expand(len(rows), -1)
    src, tgt = bitext.side(0), bitext.side(1)[rows]
    start = sizes[:, :1] + 2  # the target starts at 1 in its side
    end = start + sizes[rows, 1:] + 1
    from_tgt = tgt.gather(1, (at - start + 1).clamp(0, tgt.shape[1] - 1))
    tokens = torch.where(at < start, src.gather(1, at.clamp(max=src.shape[1] - 1)), from_tgt)
    languages = None
    if bitext.language_rows is not None:  # as in the pair; only the start of the target differs
        languages = torch.where(at >= start, bitext.language_rows[:, 1:], bitext.language_rows[:, :1])
    return Input(tokens.masked_fill(at >= end, PAD), languages, lengths=lengths)
