"""fairseq-train by other means: a program in its place, or a function that gives its lines."""

import os
import sys
import textwrap
from contextlib import closing, contextmanager
from types import SimpleNamespace
from unittest.mock import patch

from xalign_fairseq.trainer import launch
from xalign_fairseq.trainer.requeue import HELD


def put_program(monkeypatch, program):
    """Run a Python program where fairseq-train would be started."""
    monkeypatch.setattr(launch, "FAIRSEQ_TRAIN", (sys.executable, "-S", "-u", "-c", textwrap.dedent(program)))


def put_lines(monkeypatch, output):
    """Take the lines of ``output(line, log, held)`` instead of a process's; it gets what follows the program."""

    @contextmanager
    def heard(command, log, held=()):
        # A process of fairseq-train's inherits the lock; those that tests fork get it by name.
        holding = patch.dict(os.environ, {HELD: str(log.parent.resolve())})
        with holding, closing(output(command[len(launch.FAIRSEQ_TRAIN) :], log, held)) as lines:
            yield SimpleNamespace(wait=lambda: 0), lines

    monkeypatch.setattr(launch, "heard", heard)
