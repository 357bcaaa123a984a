"""Rows selected by a mask, without waiting for the device if the host knows their number."""

from torch import Tensor

IGNORED = -100  # the label of what is not predicted, as torch's losses have it


def true_first(mask: Tensor, count: int) -> Tensor:
    """The places where a mask (N,) bool is True, then those where it is False, both ascending; the first ``count`` of
    these.

    ``mask.nonzero()`` would ask the device how many there are.
    """
    return mask.int().argsort(descending=True, stable=True)[:count]
