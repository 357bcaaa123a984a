"""Masked language modelling on each side of a pair separately (the ablation of PPA's Table 5)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from xalign_fairseq.data.batches import Batch, Bitext
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.encoder.hidden_states import Prediction
from xalign_fairseq.objectives.prediction import TokenPrediction, true_first
from xalign_fairseq.objectives.registry import register_objective
from xalign_fairseq.objectives.step import Step, declared


@register_objective("sentence_mlm")
@dataclass
class SentenceMLM(TokenPrediction):
    """The replacement for TLM in PPA's ablation: the same masked tokens, predicted from their own side only."""

    traits = replace(TokenPrediction.traits, needs=("bitext",))

    def count(self, batch: Batch) -> int:
        host = declared(batch.bitext, "bitext").host
        return int(((host.targets != PAD) & (host.inside(0) | host.inside(1))).sum())

    def predicts(self, step: Step) -> Sequence[Prediction]:
        bitext = step.bitext
        return [
            Prediction.of(bitext.side_input(side, "masked"), bitext.side(side, "targets"), predicted_in(bitext, side))
            for side in (0, 1)
        ]


def predicted_in(bitext: Bitext, side: int) -> Tensor:
    """(N,) int64, ascending: the positions where the flattened ``side(side, "targets")`` is not ``pad``.

    The host knows the number of positions, so it does not wait for the device.
    """
    row, column = bitext.predicted // bitext.tokens.shape[1], bitext.predicted % bitext.tokens.shape[1]
    start, end = bitext.spans[row, 2 * side], bitext.spans[row, 2 * side + 1]
    inside = (column >= start) & (column < end)
    count = int(((bitext.host.targets != PAD) & bitext.host.inside(side)).sum())
    return (row * (bitext.longest[side] + 2) + column - start + 1).index_select(0, true_first(inside, count))
