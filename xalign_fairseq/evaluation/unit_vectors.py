"""Vectors at length 1, of which products are cosines."""

import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.core.errors import Command, XalignError


def unit(vectors: Tensor) -> Tensor:
    """The vectors (N, H) at length 1, in their dtype; zeros stay zeros.

    Raises:
        XalignError: some are not finite. They are near to nothing, so that a score of them would be 0 without a reason.
    """
    spoilt = (~vectors.isfinite().all(1)).nonzero()
    if len(spoilt):
        found = f"{len(spoilt)} of {len(vectors)}, the first of them number {int(spoilt[0]) + 1}"
        remedy = ("give an earlier checkpoint; the spoilt weights are named by", Command("doctor", "CHECKPOINT"))
        raise XalignError("vectors of the model are not finite", found=found, expected="numbers", remedy=remedy)
    return F.normalize(vectors, dim=1)
