"""Masked language modelling (Devlin et al. 2019)."""

from xalign_fairseq.data.batches import Batch
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.objectives.prediction import masked_cross_entropy
from xalign_fairseq.objectives.registry import Loss, Objective, ObjectiveConfig, register_objective


@register_objective("mlm", dataclass=ObjectiveConfig)
class MaskedLanguageModel(Objective):
    """L_MLM of XLM-Align's Algorithm 1: predict masked tokens of monolingual blocks."""

    needs = ("mono",)
    stats = ("accuracy",)
    predicts_tokens = True

    def forward(self, encoder: StepEncoder, batch: Batch, step: int) -> Loss:
        """Sum over masked tokens of the monolingual blocks."""
        mono = batch.mono
        assert mono is not None
        return masked_cross_entropy(encoder, mono.input(), mono.targets, mono.predicted)
