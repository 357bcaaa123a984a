"""A network that scores word pairs, trained on gold links of any languages."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.func import functional_call

from xalign_fairseq.data.batches import Batch
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.objectives.registry import Loss, Objective, RunContext, Traits, option, register_objective
from xalign_fairseq.objectives.step import Step, declared
from xalign_fairseq.transport.link_scorer import LinkScorer, Scores, link_loss, usual_layers
from xalign_fairseq.transport.pair_features import WordStates, word_states
from xalign_fairseq.transport.precision import at_least_float32


@register_objective("link_scorer")
@dataclass
class LinkScoring(Objective):
    """L = sum over pairs of words of BCE(z1) + BCE(z2) - sum over links (i, j) of log p(j | i) + log q(i | j).

    z1 and z2 are the link scorer's logits in both rounds, for all word pairs of a sentence pair; p and q are softmaxes
    of its learned similarity over either side. The count is the number of links. Pairs without prepared links have no
    loss. The encoder is frozen, unless ``--link-scorer-train-encoder`` is set. Use the checkpoint with ``xalign align
    --method scored``. ``xalign train-aligner --gold`` does the same without fairseq, and fits the similarity and the
    networks on different data.
    """

    traits = Traits(needs=("bitext", "links"), stats=("precision", "recall"), freezes_encoder=True, counts_ahead=True)

    train_encoder: bool = option(False, "also train the encoder")

    def __post_init__(self) -> None:
        if self.train_encoder:
            self.traits = replace(self.traits, freezes_encoder=False)

    def bind(self, context: RunContext) -> None:
        """Resolve the layers: 4, 6, 7 and 9 of 12, for the similarity 6 and 7; otherwise the same relative depths."""
        super().bind(context)
        self.read, self.similar = usual_layers(context.config.encoder_layers)

    def count(self, batch: Batch) -> int:
        return int(declared(batch.bitext, "bitext").host.links.sum())

    def build_head(self) -> LinkScorer:
        """The link scorer."""
        return LinkScorer(self.context.config.encoder_embed_dim, self.read, self.similar)

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        if not self.train_encoder:
            return ()
        return [(given, max(self.read)) for given in step.bitext.pair_inputs("separate")]

    def forward(self, step: Step) -> Loss:
        bitext = step.bitext
        src, tgt = self._words(step)
        scorer: LinkScorer = step.head
        state: dict[str, Any] = {**dict(scorer.named_parameters()), **dict(scorer.named_buffers())}
        # In float32, even if the parameters are in half precision.
        wide = {name: at_least_float32(each) if each.is_floating_point() else each for name, each in state.items()}
        with torch.autocast(src.states.device.type, enabled=False):
            scores: Scores = functional_call(scorer, wide, (src, tgt))
        row, i, j = bitext.links.T
        labels = torch.zeros_like(scores.rounds[0]).index_put((row, i, j), scores.rounds[0].new_ones(()))
        counted = (src.tokens > 0)[:, :, None] & (tgt.tokens > 0)[:, None, :] & bitext.has_links[:, None, None]
        total = -(scores.log_forward[row, i, j] + scores.log_backward[row, i, j]).sum()
        for logits in scores.rounds:
            total = total + link_loss(logits, labels, counted)
        found = (scores.rounds[1].detach() > 0) & counted
        hits = (found & (labels > 0)).sum()
        count = row.new_full((), len(row))
        return Loss(total, count, {"precision": (hits, found.sum()), "recall": (hits, count)})

    def _words(self, step: Step) -> tuple[WordStates, WordStates]:
        bitext, frozen = step.bitext, not self.train_encoder
        inputs = bitext.pair_inputs("separate")
        step.encoder.expect([(given, max(self.read)) for given in inputs], labelling=frozen)
        found = [step.encoder.pair_states(bitext, at, "separate", labelling=frozen) for at in self.read]
        hidden, spans = torch.cat([states for states, _ in found], 2), found[0][1]
        sides = []
        for side, table in enumerate(map(bitext.word_table, (0, 1))):
            words, _ = table.tokens(bitext.longest[side])
            owners = words.masked_fill(words == table.width, -1)
            sides.append(word_states(hidden, spans, side, owners, len(self.read), max(1, table.width)))
        return sides[0], sides[1]
