"""Training that is resumed with another number of processes, or other batches, goes on at the same place of its epoch.

Why: fairseq counts the batches that each process has had, and process r of N has every N-th one. With more processes
the same count lies further on in the epoch, so that batches are left out; with fewer it lies further back, and batches
that were trained on come again. With larger batches it may lie behind the end, which ends in a traceback.
Touches: ``state_dict`` and ``load_state_dict`` of ``fairseq.data.iterators.EpochBatchIterator``; a checkpoint's
``train_iterator`` has two more keys, ``processes`` and ``batches``, of all processes. Without them the count is taken
as it is.
Can go: when fairseq saves them.

Of as many batches the new count is the old one times N / N', rounded up: fewer than N' batches are left out, none comes
again. It does not hold with ``--fix-batches-to-gpus``, which shuffles what each process has. Of other batches (another
``--max-tokens``, ``--batch-size``, or ``--epoch-updates`` with another ``--update-freq``) the share of the epoch that
was read stays, though not the same pairs are in it.
"""

import functools
import logging
from collections.abc import Callable
from typing import Any

from xalign_fairseq.trainer.compat.patching import replace, source_has

NAME = "another number of processes"
WHY = "fairseq resumes at another place of the epoch when the number of processes or of batches has changed"
WHY_NOT = "fairseq's checkpoints know the number of processes"
KEY, BATCHES = "processes", "batches"
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
        return {**original(self), KEY: self.num_shards, BATCHES: len(self.frozen_batches)}

    return state_dict


def _converted(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def load_state_dict(self: Any, state: dict[str, Any]) -> None:
        before, now = state.get(KEY, self.num_shards), self.num_shards
        done, has = state.get("iterations_in_epoch", 0), len(self.frozen_batches)
        had = state.get(BATCHES, has)
        if done and (before, had) != (now, has):
            place = -(-done * before * has // (now * had))
            told = "%d batches of each of %d processes, of an epoch of %d, are %d of each of %d, of %d, now"
            logger.info(told, done, before, had, place, now, has)
            state = {**state, "iterations_in_epoch": place}
            if place >= -(-has // now):  # the epoch had no more than what is left out
                state = {**state, "epoch": state["epoch"] + 1, "iterations_in_epoch": 0}
        original(self, state)

    return load_state_dict
