"""Parts of fairseq-train's command line."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# With this interpreter, wherever the console script is.
FAIRSEQ_TRAIN = (sys.executable, "-c", "from fairseq_cli.train import cli_main; cli_main()")
# The package's own folder: a relative path would break in spawned workers.
USER_DIR = Path(__file__).resolve().parent.parent


def flag(name: str) -> str:
    """The option of a parameter: ``encoder_layers`` is ``--encoder-layers``."""
    return "--" + name.replace("_", "-")


def named(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by their options instead of their parameters."""
    return {flag(name): value for name, value in values.items()}


def encoder_options(sizes: Mapping[str, Any], checkpoint: str | Path) -> dict[str, Any]:
    """The package's model with a checkpoint's encoder and weights.

    Args:
        sizes: of :meth:`~xalign_fairseq.encoder.config.EncoderConfig.as_options`.
        checkpoint: anything that can be read as one.
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
    """Adam with a learning rate that rises from 0 over ``warmup`` updates and then falls linearly to 0.

    ``batch_size``: examples. ``optimizer``: fairseq's ``adam`` or ``xalign_adamw``.
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
    """Part of a command line: True gives the option alone, False and None nothing, a sequence its items and commas."""
    line: list[str] = []
    for option, value in options.items():
        if value is None or value is False:
            continue
        line.append(option)
        if value is not True:
            line.append(",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value))
    return line
