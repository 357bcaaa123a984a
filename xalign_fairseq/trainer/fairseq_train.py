"""The command line of fairseq-train, for whatever starts it as a process of its own."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# With this interpreter, wherever the console script may stand.
FAIRSEQ_TRAIN = (sys.executable, "-c", "from fairseq_cli.train import cli_main; cli_main()")
# The package's own folder: a relative path would break in spawned workers.
USER_DIR = Path(__file__).resolve().parent.parent


def named(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by the names of their options: ``encoder_layers`` is ``--encoder-layers``."""
    return {f"--{name.replace('_', '-')}": value for name, value in values.items()}


def encoder_options(sizes: Mapping[str, Any], checkpoint: str | Path) -> dict[str, Any]:
    """A model of the package that is a checkpoint's encoder, and begins with its weights.

    Args:
        sizes: as :meth:`~xalign_fairseq.encoder.config.EncoderConfig.as_options` has them.
        checkpoint: whatever can be read as one.
    """
    return {"--user-dir": USER_DIR, "--arch": "xalign_base", **named(sizes), "--init-checkpoint": checkpoint}


def adam_options(
    lr: float,
    updates: int,
    batch_size: int,
    betas: Sequence[float],
    eps: float,
    clip_norm: float,
    warmup: int = 0,
    optimizer: str = "adam",
) -> dict[str, Any]:
    """Adam over so many updates, with a learning rate that falls to 0 in a line, and batches of so many examples.

    Before it falls, it rises from 0 over ``warmup`` updates. ``optimizer``: fairseq's ``adam`` or ``xalign_adamw``.
    """
    return {
        "--optimizer": optimizer,
        "--adam-betas": f"({', '.join(f'{beta:g}' for beta in betas)})",
        "--adam-eps": f"{eps:g}",
        "--clip-norm": f"{clip_norm:g}",
        "--lr": f"{lr:g}",
        "--lr-scheduler": "polynomial_decay",
        "--total-num-update": updates,
        "--warmup-updates": warmup or None,
        "--max-update": updates,
        "--batch-size": batch_size,
        "--required-batch-size-multiple": 1,  # with more, fairseq would drop the rest of an epoch
    }


def flags(options: Mapping[str, Any]) -> list[str]:
    """A command line's part: True is the option alone, False and None nothing, sequences their items by commas.

    Example::

        flags({"--cpu": True, "--fp16": False, "--objectives": ["dwa", "tlm"]})  # ["--cpu", "--objectives", "dwa,tlm"]
    """
    line: list[str] = []
    for option, value in options.items():
        if value is None or value is False:
            continue
        line.append(option)
        if value is not True:
            line.append(",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value))
    return line
