"""Keep the pivot language's hidden states close to their initial values (Cao et al. 2020; Wu & Dredze 2020)."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.data.batches import Batch, Bitext
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.encoder.copies import EncoderCopy
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.objectives.registry import Loss, Objective, RunContext, Traits, option, register_objective
from xalign_fairseq.objectives.step import Step, declared
from xalign_fairseq.transport.precision import at_least_float32


@register_objective("reg_hidden")
@dataclass
class RegHidden(Objective):
    """L = sum of ||h - h_pretrained||^2 over the pivot language's tokens (Eq. 4); the weight is lambda.

    The count is the number of tokens: with ``--loss-normalization per-objective``, the loss is the mean over tokens,
    and its balance with ``l2_align`` does not depend on the batch size. All tokens of the input are included: unaligned
    words, ``<s>`` and ``</s>``. The pre-trained states come from a copy of the encoder at the first update, without
    dropout; the current states are those of the training pass.
    """

    traits = Traits(needs=("bitext",), regularises=True, counts_ahead=True, in_nats=False)

    layer: int = option(-1, "layer whose hidden states are kept close to the original; -1: last")

    def bind(self, context: RunContext) -> None:
        super().bind(context)
        self.required_pivot()

    def build_head(self) -> nn.Module:
        """A copy of the encoder at the first update."""
        return EncoderCopy(self.context.config)

    def count(self, batch: Batch) -> int:
        """Tokens of the pivot language's sentences."""
        bitext = declared(batch.bitext, "bitext")
        return int((self._pivot_sizes(bitext) + 2).sum())

    def _pivot_sizes(self, bitext: Bitext) -> np.ndarray:
        """(B,) on the host: tokens of the pivot language's sentences."""
        second = bitext.host.langs[:, 1] == self.pivot_number()
        return np.where(second, bitext.sizes[:, 1], bitext.sizes[:, 0])

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        return [(given, self.layer) for given in step.bitext.pair_inputs("separate")]

    def forward(self, step: Step) -> Loss:
        """Sum over all tokens of the pivot language's sentences; zero before the first update."""
        copy: EncoderCopy = step.head
        if step.training:
            copy.start(step.encoder.sentence_encoder, step.update)
        pivot, live = self._pivot_sentences(step.encoder, step.bitext)
        kept = copy.layer(pivot, self.layer, live.dtype)
        has_pivot = (step.bitext.langs == self.pivot_number()).any(1)  # true for all pairs in training
        inside = pivot.tokens.ne(PAD) & has_pivot[:, None]
        apart = at_least_float32(live - kept)
        total = apart.square().sum(-1).masked_fill(~inside, 0).sum() * copy.started
        return Loss(total, inside.sum())

    def _pivot_sentences(self, encoder: StepEncoder, bitext: Bitext) -> tuple[Input, Tensor]:
        """Tokens (B, L) and hidden states (B, L, H) of the pivot language's sentences, from the shared passes."""
        second = self.pivot_side(bitext).bool()[:, None]
        sides = bitext.side_input(0), bitext.side_input(1)
        width = max(side.tokens.shape[1] for side in sides)
        tokens = [F.pad(side.tokens, (0, width - side.tokens.shape[1]), value=PAD) for side in sides]
        states = [encoder.states(side).layer(self.layer) for side in sides]
        states = [F.pad(state, (0, 0, 0, width - state.shape[1])) for state in states]
        languages = None
        if sides[0].languages is not None and sides[1].languages is not None:
            languages = torch.where(second, sides[1].languages, sides[0].languages)
        pivot = Input(torch.where(second, tokens[1], tokens[0]), languages, lengths=self._pivot_sizes(bitext) + 2)
        return pivot, torch.where(second[..., None], states[1], states[0])
