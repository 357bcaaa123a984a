"""Losses of predicted tokens, which MLM, TLM and others share."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from xalign_fairseq.objectives.registry import Loss, Objective, Traits
from xalign_fairseq.objectives.step import Step
from xalign_fairseq.transport.ops.linear_cross_entropy import TokenLosses


@dataclass
class TokenPrediction(Objective):
    """L = - sum_{i in M} log p(x_i | masked x), with M the positions of all predictions of ``predicts``."""

    traits = Traits(stats=("accuracy",), predicts_tokens=True, counts_ahead=True)

    def forward(self, step: Step) -> Loss:
        """The sum over the predicted tokens."""
        return summed([step.encoder.losses(prediction) for prediction in step.predictions])


def summed(losses: Sequence[TokenLosses]) -> Loss:
    """The sum over predictions, with the share of correct ones."""
    total = torch.stack([each.nll.sum() for each in losses]).sum()
    correct = torch.stack([each.correct.sum() for each in losses]).sum()
    count = torch.stack([each.counted.sum() for each in losses]).sum()
    return Loss(total, count, {"accuracy": (correct, count)})


IGNORED = -100  # the label of what is not predicted, as torch's losses have it


def true_first(mask: Tensor, count: int) -> Tensor:
    """The places where a mask (N,) bool is True, then those where it is False, both ascending; the first ``count`` of
    these.

    ``mask.nonzero()`` would ask the device how many there are.
    """
    return mask.int().argsort(descending=True, stable=True)[:count]
