"""Ctrl-C, and the SIGTERM of a batch system: when they are heard, and as what."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
Handler = Callable[[int, FrameType | None], object]


@contextmanager
def terminate_as_interrupt() -> Iterator[None]:
    """Within the block SIGTERM is what Ctrl-C is, so that ending the driver ends its jobs."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    with _handled({signal.SIGTERM: interrupt}):
        yield


@contextmanager
def terminate_as_exit() -> Iterator[None]:
    """Within the block SIGTERM leaves with the exit code of a process that it ended, but through all clean-ups."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    with _handled({signal.SIGTERM: leave}):
        yield


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
