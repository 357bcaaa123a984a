"""Ctrl-C, SIGTERM and SIGUSR1 (batch systems) as exceptions."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)
REQUEUE = 75
"""The exit code (EX_TEMPFAIL) of a command that is to be queued again."""
Handler = Callable[[int, FrameType | None], object]


class Terminated(KeyboardInterrupt):
    """SIGTERM. As with Ctrl-C, every clean-up runs and no error handler catches it."""

    code = 128 + signal.SIGTERM


class Requeued(KeyboardInterrupt):
    """SIGUSR1, which Slurm sends before a job's time limit. The same command, queued again, resumes."""

    code = REQUEUE


@contextmanager
def signals_as_interrupts() -> Iterator[None]:
    """Within the block SIGTERM raises :class:`Terminated`, and SIGUSR1 :class:`Requeued`."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise Terminated if number == signal.SIGTERM else Requeued

    with _handled(dict.fromkeys((signal.SIGTERM, signal.SIGUSR1), interrupt)):
        yield


def interrupted_code(stopped: KeyboardInterrupt) -> int:
    """The exit code of a process that a signal ended: 130 for Ctrl-C, 143 for SIGTERM, 75 for SIGUSR1."""
    return getattr(stopped, "code", 128 + signal.SIGINT)


@contextmanager
def forwarded_requeue(processes: Callable[[], Iterable["subprocess.Popen[Any]"]]) -> Iterator[list[int]]:
    """In the main thread, pass SIGUSR1 on to child processes within the block; yields the signals passed on."""
    sent: list[int] = []

    def forward(number: int, frame: FrameType | None) -> None:
        sent.append(number)
        for process in processes():
            with suppress(ProcessLookupError):
                os.kill(process.pid, number)

    with _handled({signal.SIGUSR1: forward}):
        yield sent


@contextmanager
def delayed_interrupts() -> Iterator[None]:
    """In the main thread, delay SIGINT, SIGTERM and SIGUSR1 until the end of the block.

    Processes started in the block still get these signals, unlike with :func:`blocked_interrupts`.
    """
    arrived: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        arrived.append(number)

    try:
        with _handled(dict.fromkeys(INTERRUPTS, note)):
            yield
    finally:
        for each in arrived:
            signal.raise_signal(each)


@contextmanager
def blocked_interrupts() -> Iterator[None]:
    """Delay Ctrl-C. Processes started in the block never get it, not even during imports; their parent ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _handled(handlers: dict[signal.Signals, Handler]) -> Iterator[None]:
    """Handle signals within the block in the main thread; Python allows it in no other."""
    main = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, handler) for number, handler in handlers.items() if main}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
