"""Losses of predicted tokens, which MLM, TLM and others share."""

import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.data.samples import PAD
from xalign_fairseq.encoder.inputs import Input
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.objectives.registry import Loss


def cross_entropy(logits: Tensor, labels: Tensor) -> Loss:
    """Sum of - log softmax(logits)[label] over predictions, with the share of correct ones.

    Args:
        logits: (N, V), any floating dtype; summed in float32 at least.
        labels: (N,) int64.
    """
    # Sums in half precision overflow from a hundred entries on.
    wide = logits.double() if logits.dtype.itemsize == 8 else logits.float()
    total = F.cross_entropy(wide, labels, reduction="sum")
    correct = (logits.detach().argmax(-1) == labels).sum()
    count = correct.new_tensor(len(labels))
    return Loss(total, count, {"accuracy": (correct, count)})


def masked_cross_entropy(encoder: StepEncoder, masked: Input, targets: Tensor) -> Loss:
    """L = - sum_{i in M} log p(x_i | masked x); M are the chosen positions, kept and random ones included.

    Args:
        encoder: the encoder during this update.
        masked: tokens (B, T) to read.
        targets: (B, T), ``pad`` outside M.
    """
    chosen = targets.ne(PAD)
    return cross_entropy(encoder.lm_logits(encoder.states(masked).layer(-1)[chosen]), targets[chosen])
