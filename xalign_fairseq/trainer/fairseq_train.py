"""Parts of fairseq-train's command line."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import XalignError

# With this interpreter, wherever the console script is.
FAIRSEQ_TRAIN = (sys.executable, "-P", str(Path(__file__).with_name("main.py").resolve()))
# The package's own folder: a relative path would break in spawned workers.
USER_DIR = Path(__file__).resolve().parent.parent


def flag(name: str) -> str:
    """The option of a parameter: ``encoder_layers`` is ``--encoder-layers``."""
    return "--" + name.replace("_", "-")


def named(values: Mapping[str, Any]) -> dict[str, Any]:
    """Rename parameters to options: the same values by option name."""
    return {flag(name): value for name, value in values.items()}


def encoder_options(sizes: Mapping[str, Any], checkpoint: str | Path) -> dict[str, Any]:
    """The package's model with a checkpoint's encoder and weights."""
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
    """Adam with a learning rate that rises from 0 over ``warmup`` updates and then falls linearly to 0."""
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
    """Part of a command line: True gives only the option, False and None nothing, a sequence its items with commas."""
    line: list[str] = []
    for option, value in options.items():
        if value is None or value is False:
            continue
        line.append(option)
        if value is not True:
            line.append(",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value))
    return line


TASK, CRITERION, ARCH = "xalign_pretraining", "xlm_align", "xalign_base"
VALIDATION = ("disable_validation", "valid_subset")
LIMITS = ("max_update", "max_epoch", "stop_time_hours")
SIZES = ("batch_size", "max_sentences", "max_tokens")  # the second is fairseq's alias of the first


def train_line(
    data: str, options: Sequence[str], sizes_of: Callable[[str], Mapping[str, Any]] = lambda checkpoint: {}
) -> tuple[list[str], list[str]]:
    """fairseq-train's command line for data-bins, with default and user options, and the defaults alone."""
    for problem, names, expected in (
        ("no learning rate is given", ("lr",), "such as 2e-5 for a pretrained encoder, 5e-4 for a new one"),
        ("the training has no end", LIMITS, None),
        ("no batch size is given", SIZES, "one of these, such as 32 pairs or 4096 tokens"),
    ):
        if all(value(options, name) in (None, "0") for name in names):  # 0 is no limit
            raise XalignError(problem, parameter=names, expected=expected or "one of these")
    if (log := value(options, "log_format")) not in (None, "json"):
        raise XalignError("the log is not written as JSON", parameter="log_format", found=log, expected="json")
    task = value(options, "task") or TASK
    defaults: dict[str, Any] = {"user_dir": USER_DIR, "task": TASK}
    if task.startswith("xalign_"):
        defaults["criterion"] = CRITERION if task == TASK else "transfer"
        checkpoint = value(options, "init_checkpoint")
        defaults["arch"] = ARCH
        if checkpoint is not None and value(options, "arch") is None:
            defaults |= sizes_of(checkpoint)
    defaults["optimizer"] = "xalign_adamw"
    updates = int(most) if (most := value(options, "max_update")) and most.isdigit() else 0  # 0 means no limit
    if value(options, "lr_scheduler") is None and updates:
        defaults |= {"lr_scheduler": "polynomial_decay", "total_num_update": updates}
    valid = any(Path(data.split(":")[0]).glob("valid.*idx"))  # fairseq validates on the first data-bin only
    given = {each.partition("=")[0] for each in options}
    if task == TASK and not given & {flag(name) for name in VALIDATION} and not valid:
        defaults["disable_validation"] = True
    defaults |= {"save_dir": "checkpoints", "log_format": "json", "log_interval": min(10, -(-(updates or 40) // 4))}
    added = flags({flag(name): each for name, each in defaults.items() if value(options, name) is None})
    return [data, *added, *options], added


def value(line: Sequence[str], name: str) -> str | None:
    """The value of an option in a command line, the last one if repeated; None if missing."""
    found, option = None, flag(name)
    for number, each in enumerate(line):
        if each == option and number + 1 < len(line):
            found = line[number + 1]
        elif each.startswith(f"{option}="):
            found = each.partition("=")[2]
    return found
