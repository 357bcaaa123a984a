"""fairseq-train as a process: its log in the folder of the run, one process at a time, signals handed on."""

import difflib
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.locks import alone
from xalign_fairseq.core.process import failed, heard, tail
from xalign_fairseq.trainer import train_record
from xalign_fairseq.trainer.fairseq_train import FAIRSEQ_TRAIN

LOG = "train.log"
# fairseq-train has saved after SIGUSR1 and wants to be queued again (trainer/compat/requeue.py).
QUEUE_AGAIN = 75
USAGE = 2


def train(line: Sequence[str], folder: Path, hear: Callable[[str], object]) -> int:
    """Run fairseq-train; what it says goes to ``train.log``, behind what is there, and ``training.json`` is written.

    Args:
        line: what it is given.
        folder: its ``--save-dir``.
        hear: is told each line of its output.

    Returns:
        0, or 75 if it is to be queued again.

    Raises:
        XalignError: another process trains there, or another run has; or it failed: the end of the log, or what is
            wrong with an option.

    Example::

        train(["data-bin", "--save-dir", "run", ...], Path("run"), print)
    """
    log = folder / LOG
    train_record.require_same(folder, line)
    with (
        alone(folder) as lock,
        train_record.session(folder, line) as ended,
        heard([*FAIRSEQ_TRAIN, *line], log, [lock]) as (process, lines),
        _usr1_handed_on(process),
    ):
        for each in lines:
            hear(each)
        code = ended.code = process.wait()
    if code == USAGE:
        raise _usage_error(log)
    if code not in (0, QUEUE_AGAIN):
        raise failed(log, code)
    return code


@contextmanager
def _usr1_handed_on(process: "subprocess.Popen[Any]") -> Iterator[None]:
    """Within the block the process gets the SIGUSR1 that this one is sent."""

    def hand_on(number: int, frame: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)

    before = signal.signal(signal.SIGUSR1, hand_on)
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, before)


def _usage_error(log: Path) -> XalignError:
    """What argparse says at the end, with the options, or the values of one, that are like what it doesn't know."""
    usage, _, message = tail(log, 200, longest=20_000).rpartition("error: ")
    message = message.strip()
    unknown, known = [], re.findall(r"\[(--[\w-]+)", usage)
    if "unrecognized" in message:
        unknown = re.findall(r"--[\w-]+", message)
    elif choice := re.fullmatch(r"(.*invalid choice: '?(.*?)'?) \(choose from (.*)\)", message, re.DOTALL):
        message, unknown, known = choice[1], [choice[2]], re.findall(r"[\w-]+", choice[3])
    near = [each for name in unknown for each in difflib.get_close_matches(name, set(known), n=2, cutoff=0.7)]
    return XalignError(
        "fairseq-train does not take these options",
        found=message,
        expected=" or ".join(near) or None,
        remedy="xalign train DATA --criterion NAME --help lists all of them, xalign objectives NAME an objective's",
    )
