"""Masked language modelling (Devlin et al. 2019)."""

from collections.abc import Iterable

from xalign_fairseq.data.batches import Batch
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.objectives.prediction import masked_cross_entropy
from xalign_fairseq.objectives.registry import Loss, Objective, ObjectiveConfig, register_objective
from xalign_fairseq.objectives.step import Step, declared


@register_objective("mlm", dataclass=ObjectiveConfig)
class MaskedLanguageModel(Objective):
    """L_MLM of XLM-Align's Algorithm 1: predict masked tokens of monolingual blocks."""

    needs = ("mono",)
    stats = ("accuracy",)
    predicts_tokens = True
    counts_ahead = True

    def count(self, batch: Batch) -> int:
        """Masked tokens of the blocks."""
        return len(declared(batch.mono, "mono").predicted)

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        """The blocks."""
        return [(step.mono.input(), -1)]

    def forward(self, step: Step) -> Loss:
        """Sum over masked tokens of the monolingual blocks."""
        mono = step.mono
        return masked_cross_entropy(step.encoder, mono.input(), mono.targets, mono.predicted)
