"""Training by fairseq-train as a process, started in the same way by every command."""

import difflib
import re
import signal
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.core.locks import locked_folder
from xalign_fairseq.core.process import KILLED, failure, run_logged, tail
from xalign_fairseq.core.signals import REQUEUE, Requeued, forwarded_requeue
from xalign_fairseq.trainer.checkpoint_repair import repair_run
from xalign_fairseq.trainer.fairseq_train import FAIRSEQ_TRAIN, value
from xalign_fairseq.trainer.log_rows import read_optimizer
from xalign_fairseq.trainer.train_record import session

LOG = "train.log"
USAGE = 2


@dataclass(frozen=True)
class FairseqTraining:
    """A fairseq-train command (data first), the folder of its log, record and lock, and that of its checkpoints."""

    line: Sequence[str]
    folder: Path
    save_dir: Path | None = None
    lock: int | None = None


def run_training(
    training: FairseqTraining, hear: Callable[[str], object], say: Callable[[str], object] = print
) -> None:
    """Run fairseq-train to its end, or resume an interrupted run; only one process at a time trains in a folder.

    ``hear`` gets each line of the output, which is also added to ``train.log``; ``say`` gets messages before that.

    Raises:
        XalignError: another process trains there, or the training failed; with the end of the log or the faulty option.
        Requeued: fairseq-train saved a checkpoint after SIGUSR1 and ended.
    """
    log, line = training.folder / LOG, training.line
    with ExitStack() as stack:
        lock = stack.enter_context(locked_folder(training.folder)) if training.lock is None else training.lock
        if training.save_dir is not None and repair_run(training.save_dir, say):
            say("resuming from the last checkpoint")
        say(f"training; log: {log}, a line after every {value(line, 'log_interval') or 100} updates")
        ended = stack.enter_context(session(training.folder, line))
        process, lines = stack.enter_context(run_logged([*FAIRSEQ_TRAIN, *line], log, [lock]))
        signalled = stack.enter_context(forwarded_requeue(lambda: [process]))
        for each in lines:
            ended.optimizer = read_optimizer(each) or ended.optimizer
            hear(each)
        code = ended.code = process.wait()
    if code == REQUEUE or (signalled and code == -signal.SIGUSR1):  # the latter before it handled the signal
        raise Requeued
    if code:
        raise _error(log, code)


def _error(log: Path, code: int) -> XalignError:
    if code in KILLED:
        again = "run the same command again: it resumes from the last checkpoint; smaller batches need less memory"
        return failure("fairseq-train", log, code, "", again)
    if code == USAGE:
        return _usage_error(log)
    end = tail(log)
    if error := re.search(r"^error: (?!.*^error: )(.*)", end, re.MULTILINE | re.DOTALL):  # from compat/input_errors.py
        shown, _, _ = error[1].rstrip().partition("\n  (--debug ")
        return XalignError(f"{shown}\n  log: {log}")
    return failure("fairseq-train", log, code, end, "fix this and run the same command again")


def _usage_error(log: Path) -> XalignError:
    """argparse's error at the end of the log, with known options or values similar to the unknown one."""
    usage, _, message = tail(log, 2_000, longest=20_000).strip().rpartition("error: ")
    unknown, known = [], re.findall(r"\[(--[\w-]+)", usage)
    if "unrecognized" in message:
        unknown = re.findall(r"--[\w-]+", message)
    elif choice := re.fullmatch(r"(.*invalid choice: '?(.*?)'?) \(choose from (.*)\)", message, re.DOTALL):
        message, unknown, known = choice[1], [choice[2]], re.findall(r"[\w-]+", choice[3])
    message = message.replace("invalid <lambda> value:", "expected a number or a list of numbers, found")
    near: list[str] = []
    for name in map(str.lower, unknown):  # the known names that begin with this one, otherwise similar names
        longer = sorted({each for each in known if each.startswith(name)}, key=len)
        near += longer[:2] or difflib.get_close_matches(name, set(known), n=2, cutoff=0.7)
    return XalignError(
        "fairseq-train does not take these options",
        found=message + (f"; did you mean {' or '.join(near)}?" if near else ""),
        remedy=("see", Command("train", "DATA", Parameter("help")), "and", Command("objectives")),
    )
