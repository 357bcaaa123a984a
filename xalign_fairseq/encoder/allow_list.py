"""Classes that a fairseq checkpoint may contain, next to tensors and containers; loading them runs no code."""

import argparse
from collections.abc import Mapping
from typing import Any

import numpy as np

METERS = ("AverageMeter", "TimeMeter", "StopwatchMeter")


def allow_list(meters: Mapping[str, type]) -> list[Any]:
    """The list for ``torch.serialization.add_safe_globals``.

    - ``argparse.Namespace``: the ``args`` of checkpoints from before omegaconf, RoBERTa's and XLM-R's among them;
    - training statistics, of today's module and of ``fairseq.meters``, where fairseq 0.6 to 0.9 kept them;
    - numpy scalars (with their dtypes): a validation score that was never turned into a float.
    """
    named = [(meters[name], f"fairseq.{module}.{name}") for module in ("meters", "logging.meters") for name in METERS]
    scalar = np.float64(0).__reduce__()[0]
    numpys = [(scalar, "numpy.core.multiarray.scalar"), (scalar, "numpy._core.multiarray.scalar"), np.dtype]
    dtypes = [type(np.dtype(kind)) for kind in ("f8", "f4", "f2", "i8", "i4", "i2", "u2", "u1", "?")]
    return [argparse.Namespace, *named, *numpys, *dtypes]
