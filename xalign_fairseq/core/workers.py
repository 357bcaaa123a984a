"""Apply a function to many inputs in several processes, with the results in order."""

import functools
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Protocol, TypeVar

from xalign_fairseq.core.errors import XalignError

# Pending inputs and results per process, so that not all text is read at once.
AHEAD = 8

In = TypeVar("In")
Out = TypeVar("Out")


class Workers(Protocol):
    """``run(function, inputs)`` yields ``function(x)`` for each input, in order."""

    def __call__(self, function: Callable[[In], Out], inputs: Iterable[In]) -> Iterator[Out]: ...


@contextmanager
def processes(number: int) -> Iterator[Workers]:
    """Yield :class:`Workers` over ``number`` processes; 1 works in this process."""
    if number <= 1:
        yield lambda function, inputs: map(function, inputs)
        return
    # Spawned, not forked: a fork copies locks that torch's or a progress bar's threads may hold.
    executor = ProcessPoolExecutor(number, multiprocessing.get_context("spawn"), follow_parent)

    def run(function: Callable[[In], Out], inputs: Iterable[In]) -> Iterator[Out]:
        waiting: deque[Future[Out]] = deque()
        try:
            for each in inputs:
                waiting.append(executor.submit(function, each))
                if len(waiting) > AHEAD * number:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            problem, remedy = "a worker process was killed, probably for lack of memory", "use fewer workers"
            raise XalignError(problem, parameter="workers", remedy=remedy) from None

    try:
        yield run
    finally:
        executor.shutdown(cancel_futures=True)


@functools.cache
def use_one_thread_in_forks() -> None:
    """Otherwise OpenMP, in a process that is forked later, would wait for threads that only the parent has."""
    import torch

    os.register_at_fork(after_in_child=functools.partial(torch.set_num_threads, 1))


def follow_parent() -> None:
    """In a new worker: ignore Ctrl-C, and end with the parent even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end_with_parent() -> None:
        if parent := multiprocessing.parent_process():
            parent.join()
            os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
