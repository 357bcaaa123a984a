"""Losses of predicted tokens, which MLM, TLM and others share."""

import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.objectives.registry import Loss
from xalign_fairseq.objectives.selection import IGNORED
from xalign_fairseq.transport.precision import at_least_float32


def cross_entropy(logits: Tensor, labels: Tensor) -> Loss:
    """Sum of - log softmax(logits)[label] over predictions, with the share of correct ones.

    Args:
        logits: (N, V), any floating dtype; summed in float32 at least.
        labels: (N,) int64; :data:`~xalign_fairseq.objectives.selection.IGNORED` where nothing is predicted.
    """
    # Sums in half precision overflow from a hundred entries on.
    total = F.cross_entropy(at_least_float32(logits), labels, reduction="sum", ignore_index=IGNORED)
    correct = (logits.detach().argmax(-1) == labels).sum()
    count = (labels != IGNORED).sum()
    return Loss(total, count, {"accuracy": (correct, count)})


def masked_cross_entropy(encoder: StepEncoder, masked: Input, targets: Tensor, predicted: Tensor) -> Loss:
    """L = - sum_{i in M} log p(x_i | masked x); M are the chosen positions, kept and random ones included.

    Args:
        encoder: the encoder during this update.
        masked: tokens (B, T) to read.
        targets: (B, T), the tokens x_i at M.
        predicted: (N,) int64, M as positions in the flattened (B * T,); looking for them in ``targets`` would wait for
            the device.
    """
    hidden = encoder.states(masked).layer(-1).flatten(0, 1).index_select(0, predicted)
    return cross_entropy(encoder.lm_logits(hidden), targets.flatten().index_select(0, predicted))
