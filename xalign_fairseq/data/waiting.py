"""The share of training's time spent waiting for data."""

import time
from collections.abc import Callable
from typing import Any


class DataWait:
    """Seconds of wall time spent ``waiting`` for batches and ``working`` on them; other time is left out."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Reset both."""
        self.waiting = self.working = 0.0

    def wait(self, call: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        """Call the function that gives a batch."""
        begin = time.perf_counter()
        try:
            return call(*args, **kwargs)
        finally:
            self.waiting += time.perf_counter() - begin

    def work(self, call: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        """Call the function that trains on a batch."""
        begin = time.perf_counter()
        try:
            return call(*args, **kwargs)
        finally:
            self.working += time.perf_counter() - begin

    @property
    def seconds(self) -> float:
        """Sum of both."""
        return self.waiting + self.working

    @property
    def share(self) -> float:
        """Share of waiting in both, 0 to 1; 0 at the start."""
        return self.waiting / self.seconds if self.seconds else 0.0
