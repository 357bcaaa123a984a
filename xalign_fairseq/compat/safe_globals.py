"""The allow-list with which fairseq's checkpoints load under ``weights_only=True``.

Why: torch 2.6 and newer refuse every pickled global outside their list; fairseq's checkpoints hold a few harmless ones.
Touches: torch's process-wide list of safe globals. ``weights_only`` is never switched off, so a checkpoint with foreign
pickled code is still refused.
Can go: when fairseq states its own list, or stops pickling anything but tensors and plain containers.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy
import torch

from xalign_fairseq.compat.patching import source_has

NAME = "checkpoint allow-list"
WHY = f"torch {torch.__version__} loads weights only; fairseq's checkpoints also hold Namespace, meters, numpy scalars"
WHY_NOT = "fairseq chooses how torch.load reads its checkpoints"

METERS = ("AverageMeter", "TimeMeter", "StopwatchMeter")


def allowed() -> list[Callable | tuple[Callable, str]]:
    """What a fairseq checkpoint may hold beside tensors and containers.

    - ``argparse.Namespace``: the ``args`` of checkpoints from before omegaconf, RoBERTa's and XLM-R's among them;
    - meters, under today's module and under ``fairseq.meters``, where fairseq 0.6 to 0.9 kept them: statistics;
    - numpy scalars (with their dtypes): a validation score that was never turned into a float.
    """
    from fairseq.logging import meters

    listed: list[Any] = [argparse.Namespace]
    for name in METERS:
        listed += [getattr(meters, name), (getattr(meters, name), f"fairseq.meters.{name}")]
    scalar = numpy.float64(0).__reduce__()[0]
    listed += [(scalar, "numpy.core.multiarray.scalar"), (scalar, "numpy._core.multiarray.scalar"), numpy.dtype]
    listed += [type(numpy.dtype(kind)) for kind in ("f8", "f4", "f2", "i8", "i4", "i2", "u2", "u1", "?")]
    return listed


def needed() -> bool:
    """Whether fairseq leaves ``weights_only`` to torch's default."""
    from fairseq import checkpoint_utils

    return not source_has(checkpoint_utils.load_checkpoint_to_cpu, "weights_only")


def install() -> None:
    """Add the list to torch's."""
    torch.serialization.add_safe_globals(allowed())
