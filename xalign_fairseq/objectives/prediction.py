"""Losses of predicted tokens, shared by MLM, TLM and others."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from xalign_fairseq.objectives.registry import Loss, Objective, Traits
from xalign_fairseq.objectives.step import Step
from xalign_fairseq.transport.ops.linear_cross_entropy import TokenLosses


@dataclass
class TokenPrediction(Objective):
    """L = - sum_{i in M} log p(x_i | masked x), where M are the positions of all predictions from ``predicts``."""

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


IGNORED = -100  # the label of tokens that are not predicted, as in torch


def true_first(mask: Tensor, count: int) -> Tensor:
    """The first ``count`` positions of a mask (N,) bool, those with True before those with False, both ascending.

    ``mask.nonzero()`` would wait for the device.
    """
    return mask.int().argsort(descending=True, stable=True)[:count]
