"""The masked-token loss that MLM and TLM share."""

import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.data.samples import PAD
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.objectives.registry import Loss


def masked_cross_entropy(encoder: StepEncoder, masked: Tensor, targets: Tensor) -> Loss:
    """L = - sum_{i in M} log p(x_i | masked x); M are the chosen positions, kept and random ones included.

    Args:
        encoder: the encoder during this update.
        masked, targets: (B, T); targets are ``pad`` outside M.
    """
    chosen = targets.ne(PAD)
    labels = targets[chosen]
    logits = encoder.lm_logits(encoder.states(masked).layer(-1)[chosen])
    # Sums in half precision overflow from a hundred entries on.
    wide = logits.double() if logits.dtype.itemsize == 8 else logits.float()
    total = F.cross_entropy(wide, labels, reduction="sum")
    correct = (logits.detach().argmax(-1) == labels).sum()
    return Loss(total, chosen.sum(), {"accuracy": (correct, chosen.sum())})
