"""Make both directions of a pair agree, without labels (awesome-align, Dou & Neubig 2021)."""

from collections.abc import Iterable
from dataclasses import dataclass

from xalign_fairseq.data.batches import Batch
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.objectives.registry import Loss, Objective, RunContext, Traits, option, register_objective
from xalign_fairseq.objectives.step import Step, declared
from xalign_fairseq.transport.layers import at_depth
from xalign_fairseq.transport.similarity import agreement


@register_objective("consistency")
@dataclass
class Consistency(Objective):
    """L = sum over pairs of 1 - trace(P Q^T) / min(n, m): awesome-align's objective ``co``.

    P and Q are softmaxes of cosines/temperature, each over the tokens of the other side; they agree where p_ij q_ij is
    large. The released code omits the 1 and uses dot products at temperature 1. The count is the number of pairs with
    tokens on both sides: use ``--loss-normalization per-objective`` with other objectives.
    """

    traits = Traits(needs=("bitext",), counts_ahead=True, in_nats=False)

    layer: int | None = option(None, "layer to train (default: 8 of 12)")
    temperature: float = option(0.1, "divides the cosines")

    def __post_init__(self) -> None:
        self.require_values(temperature=(self.temperature > 0, "a number above 0"))

    def bind(self, context: RunContext) -> None:
        super().bind(context)
        self.trained_layer = self.resolve_layer("layer", at_depth(context.config.encoder_layers, 8)[0])

    def count(self, batch: Batch) -> int:
        """Pairs with tokens on both sides; pairs with non-finite states have no loss."""
        return declared(batch.bitext, "bitext").complete

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        return [(given, self.trained_layer) for given in step.bitext.pair_inputs("separate")]

    def forward(self, step: Step) -> Loss:
        hidden, spans = step.encoder.pair_states(step.bitext, self.trained_layer, "separate")
        found = agreement(hidden, spans, temperature=self.temperature, sizes=step.bitext.longest)
        shared = (found.forward + found.backward).exp().masked_fill(~found.inside, 0.0).sum((1, 2))
        n, m = found.lengths
        shortest = n.minimum(m)
        count = (shortest > 0).sum()
        return Loss(count - (shared / shortest.clamp(min=1)).sum(), count)
