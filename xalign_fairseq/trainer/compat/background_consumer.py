"""The thread that prefetches batches ends before the interpreter.

Why: training that stops within an epoch (``--max-update``, an error, Ctrl-C) leaves fairseq's daemon thread running. If
the thread uses torch while the interpreter shuts down, the process aborts with exit code 134 after everything is saved.
Touches: ``fairseq.data.iterators.BackgroundConsumer``.
Can go: when that class can be stopped.
"""

import atexit
import logging
import queue
import threading
import time
import weakref
from typing import Any

from xalign_fairseq.trainer.compat.patching import wrapping

PATIENCE = 30.0  # seconds to wait at exit for an unfinished batch

_running: "weakref.WeakSet[Any]" = weakref.WeakSet()


class _Halting:
    """The thread's queue: once stopped, ``put`` ends the thread instead of filling a queue that nobody reads."""

    def __init__(self, target: "queue.Queue[Any]"):
        self.target = target
        self.halted = threading.Event()

    def put(self, item: object) -> None:
        if self.halted.is_set():
            raise SystemExit  # threading ignores SystemExit silently, and fairseq's run() does not catch it
        self.target.put(item)


def _stoppable(original: type) -> type:
    class StoppableConsumer(original):
        __wrapped__ = original

        def __init__(self, target: "queue.Queue[Any]", *args: object, **kwargs: object):
            self.halting = _Halting(target)
            super().__init__(self.halting, *args, **kwargs)
            _running.add(self)

        def stop(self) -> None:
            """End the thread: refuse new batches, free a place in the queue, and join the thread."""
            self.halting.halted.set()
            give_up = time.monotonic() + PATIENCE
            while self.is_alive() and time.monotonic() < give_up:
                try:
                    self.halting.target.get_nowait()
                except queue.Empty:
                    self.join(0.05)

    return StoppableConsumer


@atexit.register
def stop_all() -> None:
    """Stop the threads that still fetch batches; called at the interpreter's exit."""
    for consumer in list(_running):
        consumer.stop()
        if consumer.is_alive():
            logging.getLogger(__name__).warning("the prefetching thread did not end within %d s", PATIENCE)


UNIT = wrapping(
    "BackgroundConsumer",
    "fairseq's prefetching thread is never joined and can abort a finished run (exit code 134)",
    "fairseq.data.iterators",
    "BackgroundConsumer",
    _stoppable,
    lacks="def stop",
)
