"""Ways to the loss of predicted tokens over a vocabulary, each with the gradients that training takes from it."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from xalign_fairseq.transport.ops.linear_cross_entropy import linear_cross_entropy

ROWS = 512  # predictions in a chunk of the peers; torch's own choice, two, makes it ten times as slow

Loss = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def eager(features: Tensor, weight: Tensor, bias: Tensor, labels: Tensor) -> Tensor:
    """All logits, and from them the loss and the share of correct predictions, as training logs it."""
    logits = F.linear(features, weight, bias)
    logits.detach().argmax(-1).eq(labels).sum()
    return F.cross_entropy(logits.float(), labels, reduction="sum")


def ours(features: Tensor, weight: Tensor, bias: Tensor, labels: Tensor) -> Tensor:
    """The package's, by chunks of the vocabulary."""
    losses = linear_cross_entropy(features, weight, bias, labels)
    losses.correct.sum()
    return losses.nll.sum()


def torchs_own(features: Tensor, weight: Tensor, bias: Tensor, labels: Tensor) -> Tensor:
    """torch's, by chunks of predictions; it does not say which are correct. torch 2.13 to 2.15 have it."""
    dtype = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else features.dtype
    own = features.to(dtype), weight.to(dtype), labels
    options = torch.nn.LinearCrossEntropyOptions(batch_chunk_size=ROWS)
    return F.linear_cross_entropy(*own, linear_bias=bias.to(dtype), reduction="sum", options=options)


def checkpointed(features: Tensor, weight: Tensor, bias: Tensor, labels: Tensor) -> Tensor:
    """The eager way over chunks of predictions, each computed again in the backward pass."""
    parts = zip(features.split(ROWS), labels.split(ROWS), strict=True)
    return torch.stack([checkpoint(eager, each, weight, bias, own, use_reentrant=False) for each, own in parts]).sum()


CONTESTANTS: dict[str, Loss] = {"eager": eager, "ours": ours, "torch's own": torchs_own, "checkpointed": checkpointed}


def available() -> list[str]:
    """The contestants that this torch has."""
    return [name for name in CONTESTANTS if name != "torch's own" or hasattr(F, "linear_cross_entropy")]
