"""Losses of predicted tokens, which MLM, TLM and others share."""

from collections.abc import Sequence

import torch

from xalign_fairseq.objectives.registry import Loss
from xalign_fairseq.objectives.step import Step
from xalign_fairseq.transport.ops.linear_cross_entropy import TokenLosses


def predicted(step: Step) -> Loss:
    """L = - sum_{i in M} log p(x_i | masked x), M the positions of all that the objective said it predicts."""
    return summed([step.encoder.losses(prediction) for prediction in step.predictions])


def summed(losses: Sequence[TokenLosses]) -> Loss:
    """The sum over predictions, with the share of correct ones."""
    total = torch.stack([each.nll.sum() for each in losses]).sum()
    correct = torch.stack([each.correct.sum() for each in losses]).sum()
    count = torch.stack([each.counted.sum() for each in losses]).sum()
    return Loss(total, count, {"accuracy": (correct, count)})
