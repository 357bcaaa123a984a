"""The log of training says how much of the time passes in waiting for batches: ``data_wait``, in per cent.

Why: fairseq logs updates and words a second, which do not tell a slow model from a slow disk or too few data workers.
Touches: ``fairseq.data.iterators.GroupedIterator``, whose batches training waits for, and
``fairseq.trainer.Trainer.train_step``, which logs; each process clocks itself, and the first one's is shown.
Can go: when fairseq logs it.
"""

import functools
from collections.abc import Callable
from typing import Any

from xalign_fairseq.data.waiting import DataWait
from xalign_fairseq.trainer.compat.patching import replace, source_has

NAME = "data wait"
WHY = "fairseq's log does not tell how long training waits for batches"
WHY_NOT = "fairseq logs how long training waits for batches"

# Of the update at hand: a process has one trainer.
CLOCK = DataWait()


def needed() -> bool:
    """Whether the trainer still logs nothing of this name."""
    from fairseq.trainer import Trainer

    return not source_has(Trainer.train_step, "data_wait")


def install() -> None:
    """Clock the iterator and the trainer."""
    from fairseq.data import iterators
    from fairseq.trainer import Trainer

    replace(iterators, "GroupedIterator", NAME, _clocked)
    replace(Trainer, "train_step", NAME, _logged)


def _clocked(original: type) -> type:
    class ClockedIterator(original):
        __wrapped__ = original

        def __next__(self) -> Any:
            return CLOCK.wait(super().__next__)

    return ClockedIterator


def _logged(step: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(step)
    def train_step(self: Any, samples: list[Any], *args: Any, **kwargs: Any) -> Any:
        from fairseq.logging import metrics

        try:
            return CLOCK.work(step, self, samples, *args, **kwargs)
        finally:
            # Weighted by the time, the mean over updates is the share of all their time.
            metrics.log_scalar("data_wait", 100 * CLOCK.share, CLOCK.seconds, priority=810, round=2)
            CLOCK.reset()

    return train_step
