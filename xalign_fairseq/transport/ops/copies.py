"""Copies of frozen weights in the precision of autocast, made once and not in every update."""

from collections.abc import MutableMapping

import torch
from torch import Tensor
from torch.utils.weak import WeakIdKeyDictionary

# For each weight: its address and version when it was copied, and the copy.
_COPIES: MutableMapping[Tensor, tuple[tuple[int, int], Tensor]] = WeakIdKeyDictionary()


def lasting_copy(weight: Tensor, dtype: torch.dtype) -> Tensor:
    """A weight in another precision, kept until the weight changes or is deleted.

    A weight with gradient changes in every update, so it is returned itself, to be converted where it is used.

    Example::

        rows = lasting_copy(embeddings, torch.bfloat16)[start:stop].to(torch.bfloat16)
    """
    if weight.requires_grad or weight.dtype == dtype or weight.is_inference():
        return weight
    now = weight.data_ptr(), weight._version
    kept = _COPIES.get(weight)
    if kept is None or kept[0] != now or kept[1].dtype != dtype:
        kept = _COPIES[weight] = now, weight.detach().to(dtype)
    return kept[1]
