"""A task sees all micro-batches of an update (``--update-freq``) before the first one is run.

Why: fairseq shows a criterion one micro-batch after the other and goes backward in between, so that a loss cannot be
divided by a count over all of them.
Touches: ``fairseq.trainer.Trainer.train_step``, which calls the task's ``begin_update`` first; tasks without it are
left alone.
Can go: when fairseq tells tasks of an update before it begins.
"""

import functools
from collections.abc import Callable
from typing import Any

from xalign_fairseq.trainer.compat.patching import replace, source_has

NAME = "whole updates"
WHY = "fairseq shows one micro-batch after the other, and losses are divided by counts over all of an update"
WHY_NOT = "fairseq tells the task of an update before it begins"


def needed() -> bool:
    """Whether the trainer still tells the task nothing."""
    from fairseq.trainer import Trainer

    return not source_has(Trainer.train_step, "begin_update")


def install() -> None:
    """Tell the task."""
    from fairseq.trainer import Trainer

    replace(Trainer, "train_step", NAME, _told)


def _told(step: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(step)
    def train_step(self: Any, samples: list[Any], *args: Any, **kwargs: Any) -> Any:
        if hasattr(self.task, "begin_update"):
            self.task.begin_update(samples, self.get_criterion(), self.device)
        return step(self, samples, *args, **kwargs)

    return train_step
