"""Replacements for fairseq-train: a program, or a function that returns its lines."""

import os
import sys
import textwrap
from contextlib import closing, contextmanager
from types import SimpleNamespace
from unittest.mock import patch

from xalign_fairseq.trainer import launch
from xalign_fairseq.trainer.requeue import HELD


def put_program(monkeypatch, program):
    """Run a Python program instead of fairseq-train."""
    monkeypatch.setattr(launch, "FAIRSEQ_TRAIN", (sys.executable, "-S", "-u", "-c", textwrap.dedent(program)))


def put_lines(monkeypatch, output):
    """Use the lines of ``output(line, log, held)``, which gets the arguments, instead of a process's."""

    @contextmanager
    def run_logged(command, log, held=()):
        # A process of fairseq-train inherits the lock; forks of tests get it by name.
        holding = patch.dict(os.environ, {HELD: str(log.parent.resolve())})
        with holding, closing(output(command[len(launch.FAIRSEQ_TRAIN) :], log, held)) as lines:
            yield SimpleNamespace(wait=lambda: 0), lines

    monkeypatch.setattr(launch, "run_logged", run_logged)
