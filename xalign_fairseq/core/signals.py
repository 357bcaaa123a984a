"""Ctrl-C, and the SIGTERM of a batch system: when they are heard, and as what."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
Handler = Callable[[int, FrameType | None], object]


class Terminated(KeyboardInterrupt):
    """SIGTERM, heard as Ctrl-C is: through all clean-ups, past what takes errors."""


@contextmanager
def terminate_as_interrupt() -> Iterator[None]:
    """Within the block SIGTERM raises :class:`Terminated`: a driver ends its jobs, what is unfinished is removed."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise Terminated

    with _handled({signal.SIGTERM: interrupt}):
        yield


def interrupted_code(stopped: KeyboardInterrupt) -> int:
    """A shell's exit code of a process that the signal ended: 130 of Ctrl-C, 143 of SIGTERM."""
    return 128 + (signal.SIGTERM if isinstance(stopped, Terminated) else signal.SIGINT)


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """SIGINT and SIGTERM that arrive within the block are handled at its end; in the main thread, which alone has them.

    Processes that are started here get them as ever; see :func:`interrupts_kept_off` for the others.
    """
    arrived: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        arrived.append(number)

    main = threading.current_thread() is threading.main_thread()
    try:
        with _handled(dict.fromkeys(INTERRUPTS, note) if main else {}):
            yield
    finally:
        for each in arrived:
            signal.raise_signal(each)


@contextmanager
def interrupts_kept_off() -> Iterator[None]:
    """Ctrl-C waits. Processes started here never get it, not even while they import: their parent ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _handled(handlers: dict[signal.Signals, Handler]) -> Iterator[None]:
    """Handlers for the length of the block."""
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
