"""A run that has had all its updates, or that ``--patience`` has ended, is not trained further when it is given again.

Why: fairseq asks for ``--max-update`` after an update, and for ``--patience`` after a validation. A run that ended, or
was killed after its last checkpoint, and that a batch system queues again has one update, or those up to a validation,
more each time.
Touches: ``train`` of fairseq-train, which trains an epoch, from ``fairseq.trainer.Trainer.__init__``.
Can go: when fairseq asks before an update.
"""

import functools
import logging
from collections.abc import Callable
from typing import Any

from xalign_fairseq.trainer.compat.early_stopping import stopping_counter
from xalign_fairseq.trainer.compat.patching import replace_in_loop, source_has

NAME = "finished runs"
WHY = "fairseq takes one more update when a finished run is given again"
WHY_NOT = "fairseq leaves a finished run as it is"
logger = logging.getLogger(__name__)


def needed() -> bool:
    """Whether the trainer still knows nothing of the most updates."""
    from fairseq.trainer import Trainer

    return not source_has(Trainer.train_step, "max_update")


def install() -> None:
    """Look at the updates before an epoch, once the loop is there."""
    replace_in_loop("train", NAME, _unless_finished)


def _unless_finished(train: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(train)
    def train_epoch(cfg: Any, trainer: Any, task: Any, epoch_itr: Any) -> tuple[list[None], bool]:
        most = cfg.optimization.max_update
        if most and trainer.get_num_updates() >= most:
            logger.info("the run has had all its updates: %d of %d", trainer.get_num_updates(), most)
            return [None], True
        # Of a run that goes on, early_stopping has restored the count.
        counted = getattr(stopping_counter(), "num_runs", 0)
        if 0 < cfg.checkpoint.patience <= counted:
            logger.info("the run has ended: no improvement in %d validations (--patience)", counted)
            return [None], True
        return train(cfg, trainer, task, epoch_itr)

    return train_epoch
