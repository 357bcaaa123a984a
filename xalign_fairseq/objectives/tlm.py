"""Translation language modelling (Conneau & Lample 2019)."""

from dataclasses import dataclass, field

from xalign_fairseq.data.batches import Batch
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.objectives.prediction import masked_cross_entropy
from xalign_fairseq.objectives.registry import Loss, Objective, ObjectiveConfig, register_objective


@dataclass
class TranslationLanguageModelConfig(ObjectiveConfig):
    """Options of ``tlm``."""

    reset_positions: bool = field(
        default=False,
        metadata={
            "help": "count the positions of the second sentence anew, as XLM does (XLM-R and XLM-Align let them run "
            "on); XLM's language embeddings are the model's --language-embeddings"
        },
    )


@register_objective("tlm", dataclass=TranslationLanguageModelConfig)
class TranslationLanguageModel(Objective):
    """L_TLM of XLM-Align's Algorithm 1: predict masked tokens of a pair from both its sides."""

    needs = ("bitext",)
    stats = ("accuracy",)
    predicts_tokens = True
    cfg: TranslationLanguageModelConfig

    def forward(self, encoder: StepEncoder, batch: Batch, step: int) -> Loss:
        """Sum over masked tokens of the pairs; without resets DWA and others share this pass."""
        bitext = batch.bitext
        assert bitext is not None
        read = bitext.input("masked", reset_positions=self.cfg.reset_positions)
        return masked_cross_entropy(encoder, read, bitext.targets, bitext.predicted)
