"""Translation language modelling (Conneau & Lample 2019)."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from xalign_fairseq.data.batches import Batch, Bitext
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.objectives.prediction import masked_cross_entropy
from xalign_fairseq.objectives.registry import Loss, Objective, ObjectiveConfig, register_objective
from xalign_fairseq.objectives.step import Step, declared


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
    counts_ahead = True
    cfg: TranslationLanguageModelConfig

    def count(self, batch: Batch) -> int:
        """Masked tokens of the pairs."""
        return len(declared(batch.bitext, "bitext").predicted)

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        """The perturbed pairs."""
        return [(self._input(step.bitext), -1)]

    def forward(self, step: Step) -> Loss:
        """Sum over masked tokens of the pairs; without resets DWA and others share this pass."""
        bitext = step.bitext
        return masked_cross_entropy(step.encoder, self._input(bitext), bitext.targets, bitext.predicted)

    def _input(self, bitext: Bitext) -> Input:
        return bitext.input("masked", reset_positions=self.cfg.reset_positions)
