"""Training that is resumed with another number of processes sees no batch of the epoch twice.

Why: fairseq counts the batches that each process has had, and process r of N has every N-th one. With more processes
the same count lies further on in the epoch, so that batches are left out; with fewer it lies further back, and batches
that were trained on come again.
Touches: ``state_dict`` and ``load_state_dict`` of ``fairseq.data.iterators.EpochBatchIterator``; a checkpoint's
``train_iterator`` has one more key, ``processes``. Without it the count is taken as it is.
Can go: when fairseq saves the number of processes.

The new count is the old one times N / N', rounded up: fewer than N' batches are left out, none comes again. It does not
hold with ``--fix-batches-to-gpus``, which shuffles what each process has, nor where ``--epoch-updates`` draws another
number of batches: with another product of ``--update-freq`` and processes.
"""

import functools
import logging
from collections.abc import Callable
from typing import Any

from xalign_fairseq.compat.patching import replace, source_has

NAME = "another number of processes"
WHY = "fairseq resumes at another place of the epoch when the number of processes has changed"
WHY_NOT = "fairseq's checkpoints know the number of processes"
KEY = "processes"
logger = logging.getLogger(__name__)


def needed() -> bool:
    """Whether fairseq still saves a count of each process alone."""
    from fairseq.data.iterators import EpochBatchIterator

    return not source_has(EpochBatchIterator.state_dict, "num_shards")


def install() -> None:
    """Save the number of processes, and convert the count."""
    from fairseq.data.iterators import EpochBatchIterator

    replace(EpochBatchIterator, "state_dict", NAME, _saved)
    replace(EpochBatchIterator, "load_state_dict", NAME, _converted)


def _saved(original: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    @functools.wraps(original)
    def state_dict(self: Any) -> dict[str, Any]:
        return {**original(self), KEY: self.num_shards}

    return state_dict


def _converted(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def load_state_dict(self: Any, state: dict[str, Any]) -> None:
        before, now = state.get(KEY, self.num_shards), self.num_shards
        done = state.get("iterations_in_epoch", 0)
        if before != now and done:
            place = -(-done * before // now)
            told = "%d batches of each of %d processes are %d of each of %d now"
            logger.info(told, done, before, place, now)
            state = {**state, "iterations_in_epoch": place}
            if place >= -(-len(self.frozen_batches) // now):  # the epoch had no more than what is left out
                state = {**state, "epoch": state["epoch"] + 1, "iterations_in_epoch": 0}
        original(self, state)

    return load_state_dict
