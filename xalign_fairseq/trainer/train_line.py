"""What ``xalign train`` gives to fairseq-train: the user's own options, and before them those that they leave open."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer.fairseq_train import USER_DIR, flags, named

TASK, CRITERION, ARCH = "xalign_pretraining", "xlm_align", "xalign_base"
VALIDATION = ("--disable-validation", "--valid-subset")
LIMITS = ("--max-update", "--max-epoch", "--stop-time-hours")
SIZES = ("--batch-size", "--max-sentences", "--max-tokens")  # the second is fairseq's other name of the first


def train_line(
    data: str, given: Sequence[str], sizes_of: Callable[[str], Mapping[str, Any]] = lambda checkpoint: {}
) -> tuple[list[str], list[str]]:
    """The command line for a data-bin; what is not given has this package's defaults, and fairseq's.

    Args:
        data: the data-bin, or several, joined by colons.
        given: options of fairseq-train, in its own form.
        sizes_of: the encoder's sizes of an ``--init-checkpoint``, as options, where no ``--arch`` is given.

    Returns:
        the whole line without the program, and the options in it that were not given.

    Raises:
        XalignError: no learning rate (fairseq's default is 0.25), no end of the training or no batch size is given.

    Example::

        line, added = train_line("data-bin", ["--lr", "1e-4", "--max-update", "1000", "--batch-size", "32"])
    """
    if value(given, "--lr") is None:
        raise XalignError(
            "no learning rate is given", parameter="lr",
            expected="such as --lr 2e-5 to go on from a pretrained encoder, --lr 5e-4 for a new one",
        )  # fmt: skip
    if all(value(given, limit) is None for limit in LIMITS):
        raise XalignError("the training has no end", where=LIMITS[0], expected=f"one of {', '.join(LIMITS)}")
    if all(value(given, size) is None for size in SIZES):
        raise XalignError("no batch size is given", where=SIZES[0], expected="one of --batch-size, --max-tokens")
    task = value(given, "--task") or TASK
    defaults: dict[str, Any] = {"--user-dir": USER_DIR, "--task": TASK}
    if task.startswith("xalign_"):
        defaults["--criterion"] = CRITERION if task == TASK else "transfer"
        checkpoint = value(given, "--init-checkpoint")
        defaults["--arch"] = ARCH
        if checkpoint is not None and value(given, "--arch") is None:
            defaults |= named(sizes_of(checkpoint))
    defaults["--optimizer"] = "xalign_adamw"
    most = value(given, "--max-update")
    if value(given, "--lr-scheduler") is None and most not in (None, "0"):  # with 0 there is no such end
        defaults |= {"--lr-scheduler": "polynomial_decay", "--total-num-update": most}
    if task == TASK and not any(each.partition("=")[0] in VALIDATION for each in given) and not validates(data):
        defaults["--disable-validation"] = True
    defaults |= {"--save-dir": "checkpoints", "--log-format": "json", "--log-interval": 10}
    added = flags({option: each for option, each in defaults.items() if value(given, option) is None})
    return [data, *added, *given], added


def validates(data: str) -> bool:
    """Whether a data-bin, the first of several, has text to validate on."""
    return any(Path(data.split(":")[0]).glob("valid.*.idx"))


def value(line: Sequence[str], option: str) -> str | None:
    """The value of an option in a command line, the last one if there are several; None if it is not there.

    Example::

        value(["data-bin", "--lr", "0.1", "--seed=3"], "--seed")  # "3"
    """
    found = None
    for number, each in enumerate(line):
        if each == option and number + 1 < len(line):
            found = line[number + 1]
        elif each.startswith(f"{option}="):
            found = each.partition("=")[2]
    return found
