"""Translation language modelling (Conneau & Lample 2019)."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from xalign_fairseq.core.errors import Parameter
from xalign_fairseq.data.batches import Batch
from xalign_fairseq.encoder.bodies.families import takes_positions
from xalign_fairseq.encoder.hidden_states import Prediction
from xalign_fairseq.objectives.prediction import TokenPrediction
from xalign_fairseq.objectives.registry import RunContext, option, register_objective
from xalign_fairseq.objectives.step import Step, declared

logger = logging.getLogger(__name__)


@register_objective("tlm")
@dataclass
class TLM(TokenPrediction):
    """Predict masked tokens of a pair from both sides: L_TLM in XLM-Align's Algorithm 1."""

    traits = replace(TokenPrediction.traits, needs=("bitext",))

    reset_positions: bool = option(
        False,
        "restart positions at the second sentence, as XLM does (XLM-R and XLM-Align do not); for XLM's "
        "language embeddings use --language-embeddings",
    )

    def bind(self, context: RunContext) -> None:
        """Restart positions if the encoder reads positions; otherwise warn about the option."""
        super().bind(context)
        self.resets = self.reset_positions and takes_positions(context.config)
        if self.resets != self.reset_positions:
            option = Parameter("tlm_reset_positions")
            logger.warning("%s has no effect: the encoder takes no positions", option)

    def count(self, batch: Batch) -> int:
        return len(declared(batch.bitext, "bitext").predicted)

    def predicts(self, step: Step) -> Sequence[Prediction]:
        """The masked tokens of the pairs; without restarted positions, other objectives such as DWA share the pass."""
        bitext = step.bitext
        read = bitext.input("masked", reset_positions=self.resets)
        return [Prediction.of(read, bitext.targets, bitext.predicted)]
