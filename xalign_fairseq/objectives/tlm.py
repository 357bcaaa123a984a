"""Translation language modelling (Conneau & Lample 2019)."""

from xalign_fairseq.data.batches import Batch
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.objectives.prediction import masked_cross_entropy
from xalign_fairseq.objectives.registry import Loss, Objective, ObjectiveConfig, register_objective


@register_objective("tlm", dataclass=ObjectiveConfig)
class TranslationLanguageModel(Objective):
    """L_TLM of XLM-Align's Algorithm 1: predict masked tokens of a pair from both its sides."""

    needs = ("bitext",)
    stats = ("accuracy",)
    predicts_tokens = True

    def forward(self, encoder: StepEncoder, batch: Batch, step: int) -> Loss:
        """Sum over masked tokens of the pairs; DWA shares this pass."""
        assert batch.bitext is not None
        return masked_cross_entropy(encoder, batch.bitext.masked, batch.bitext.targets)
