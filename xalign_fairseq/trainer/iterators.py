"""fairseq's iterators over training batches, resumed at the same place and timed."""

import logging
import time
from collections.abc import Callable
from typing import Any

from fairseq.data.iterators import EpochBatchIterator, GroupedIterator


class DataWait:
    """Seconds of wall time spent ``waiting`` for batches and ``working`` on them."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.waiting = self.working = 0.0

    def wait(self, call: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        """Time a call that fetches a batch."""
        begin = time.perf_counter()
        try:
            return call(*args, **kwargs)
        finally:
            self.waiting += time.perf_counter() - begin

    def work(self, call: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        """Time a call that trains on a batch."""
        begin = time.perf_counter()
        try:
            return call(*args, **kwargs)
        finally:
            self.working += time.perf_counter() - begin

    @property
    def seconds(self) -> float:
        return self.waiting + self.working

    @property
    def share(self) -> float:
        """``waiting`` as a share of ``seconds``, 0 to 1; 0 at the start."""
        return self.waiting / self.seconds if self.seconds else 0.0


logger = logging.getLogger(__name__)


class TrainIterator(EpochBatchIterator):
    """An epoch that resumes at the same place with another number of processes or other batches.

    A checkpoint's ``train_iterator`` has two more keys, ``processes`` and ``batches`` (of all processes). If the total
    number of batches is unchanged, a process's count times N / N' is rounded up: fewer than N' batches are skipped, and
    no batch repeats, except with ``--fix-batches-to-gpus`` and at the epoch's end: each process reads at least one more
    batch, so up to N' repeat. With other batches the finished share of the epoch is kept.
    """

    def state_dict(self) -> dict[str, Any]:
        """fairseq's state, with the number of processes and of batches."""
        return {**super().state_dict(), "processes": self.num_shards, "batches": len(self.frozen_batches)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Resume; the count of batches is converted if processes or batches changed."""
        before, now = state_dict.get("processes", self.num_shards), self.num_shards
        done, has = state_dict.get("iterations_in_epoch", 0), len(self.frozen_batches)
        had = state_dict.get("batches", has)
        if done and (before, had) != (now, has):
            # not into the next epoch, which would still have this epoch's data and batches
            last = len(self) - 1 - self.skip_remainder_batch
            place = min(-(-done * before * has // (now * had)), last)
            text = "%d batches for each of %d processes (of %d per epoch) become %d for each of %d (of %d)"
            logger.info(text, done, before, had, place, now, has)
            state_dict = {**state_dict, "iterations_in_epoch": place}
        super().load_state_dict(state_dict)


class ClockedIterator(GroupedIterator):
    """The batches of updates; a clock sums the waiting time."""

    def __init__(self, clock: DataWait, *args: object, **kwargs: object):
        self.clock = clock
        super().__init__(*args, **kwargs)

    def __next__(self) -> Any:
        return self.clock.wait(super().__next__)
