"""Both directions of a pair made to agree (awesome-align, Dou & Neubig 2021), without labels."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Optional

from xalign_fairseq.core.errors import check_values
from xalign_fairseq.data.batches import Batch
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.objectives.registry import Loss, Objective, ObjectiveConfig, choice, register_objective
from xalign_fairseq.objectives.step import Step, declared
from xalign_fairseq.transport.agreement import agreement
from xalign_fairseq.transport.names import AGREEMENT_SIMILARITIES, ENCODINGS


@dataclass
class ConsistencyConfig(ObjectiveConfig):
    """Options of ``consistency``."""

    layer: Optional[int] = field(default=None, metadata={"help": "layer that is trained (default: at 8 of 12)"})
    encoding: str = field(
        default="separate",
        metadata={"help": "separate (each side by itself) or joint (both in one sequence, where they see each other)"},
    )
    similarity: str = field(
        default="cosine", metadata={"help": "what the softmaxes are of: cosine, or dot (product; awesome-align)"}
    )
    temperature: float = field(
        default=0.1, metadata={"help": "that similarities are divided by (awesome-align: 1, of dot products)"}
    )


@register_objective("consistency", dataclass=ConsistencyConfig)
class Consistency(Objective):
    """L = sum over pairs of 1 - trace(P Q^T) / min(n, m): awesome-align's objective ``co``.

    P and Q are the softmaxes of similarities/temperature of the tokens of either side over those of the other; they
    agree where p_ij q_ij is large. The released code leaves out the 1. The count is the number of pairs with tokens on
    both sides: choose ``--loss-normalization per-objective`` beside other objectives.
    """

    needs = ("bitext",)
    in_nats = False
    counts_ahead = True
    cfg: ConsistencyConfig

    def __init__(self, cfg: ConsistencyConfig):
        super().__init__(cfg)
        choice(cfg.encoding, ENCODINGS, "--consistency-encoding")
        choice(cfg.similarity, AGREEMENT_SIMILARITIES, "--consistency-similarity")
        check_values(
            "an option of consistency has no such value",
            ("--consistency-temperature", cfg.temperature, cfg.temperature > 0, "a number above 0"),
        )

    def prepare(self, config: EncoderConfig) -> None:
        """Resolve the layer."""
        usual = max(1, round(config.encoder_layers * 8 / 12))
        self.layer = config.resolve_layer(usual if self.cfg.layer is None else self.cfg.layer, "consistency_layer")

    def count(self, batch: Batch) -> int:
        """Pairs with tokens on both sides; where states are not finite, the loss is of fewer."""
        return int(declared(batch.bitext, "bitext").sizes.all(1).sum())

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        """The pairs."""
        return [(given, self.layer) for given in step.bitext.pair_inputs(self.cfg.encoding)]

    def forward(self, step: Step) -> Loss:
        """Sum over all pairs that have tokens on both sides and finite states."""
        hidden, spans = step.encoder.pair_states(step.bitext, self.layer, self.cfg.encoding)
        found = agreement(
            hidden, spans, similarity=self.cfg.similarity, temperature=self.cfg.temperature, sizes=step.bitext.longest
        )
        shared = (found.forward + found.backward).exp().masked_fill(~found.inside, 0.0).sum((1, 2))
        n, m = found.lengths
        shortest = n.minimum(m)
        count = (shortest > 0).sum()
        return Loss(count - (shared / shortest.clamp(min=1)).sum(), count)
