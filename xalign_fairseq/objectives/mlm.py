"""Masked language modelling (Devlin et al. 2019)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xalign_fairseq.data.batches import Batch
from xalign_fairseq.encoder.hidden_states import Prediction
from xalign_fairseq.objectives.prediction import TokenPrediction
from xalign_fairseq.objectives.registry import register_objective
from xalign_fairseq.objectives.step import Step, declared


@register_objective("mlm")
@dataclass
class MLM(TokenPrediction):
    """Predict masked tokens of monolingual blocks: L_MLM in XLM-Align's Algorithm 1."""

    traits = replace(TokenPrediction.traits, needs=("mono",))

    def count(self, batch: Batch) -> int:
        return len(declared(batch.mono, "mono").predicted)

    def predicts(self, step: Step) -> Sequence[Prediction]:
        mono = step.mono
        return [Prediction.of(mono.input(), mono.targets, mono.predicted)]
