"""Micro-batches that a process lacks at the end of an epoch count nothing, and those that it has count.

Why: in place of one that it lacks a process runs another batch, with a gradient of zero, and fairseq looks at the last
micro-batch of an update alone: where that one is lacking, it forgets the sample sizes and the logs of all others of
this process, though not their gradients. With ``--update-freq`` above 1 the gradient of an epoch's last update is then
too large, by up to the number of its micro-batches.
Touches: ``fairseq.trainer.Trainer.train_step``, which runs lacking micro-batches first; sample size and logs that the
task gives for one are zero.
Can go: when fairseq looks at each micro-batch.
"""

import functools
from collections.abc import Callable
from typing import Any

from xalign_fairseq.trainer.compat.patching import replace, source_has, swapped

NAME = "lacking micro-batches"
WHY = "fairseq forgets the sample sizes of a process that lacks the last micro-batch of an update"
WHY_NOT = "fairseq looks at each micro-batch"


def needed() -> bool:
    """Whether the trainer still asks once an update."""
    from fairseq.trainer import Trainer

    return source_has(Trainer.train_step, "\n        if is_dummy_batch:")


def install() -> None:
    """Run them first, and let them count nothing."""
    from fairseq.trainer import Trainer

    replace(Trainer, "train_step", NAME, _counted)


def _counted(step: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(step)
    def train_step(self: Any, samples: list[Any], *args: Any, **kwargs: Any) -> Any:
        samples.sort(key=bool)  # in place, as who names a micro-batch by its number afterwards counts in this order
        with swapped(self.task, "train_step", _without_lacking(self.task.train_step)):
            return step(self, samples, *args, **kwargs)

    return train_step


def _without_lacking(step: Callable[..., Any]) -> Callable[..., Any]:
    def train_step(*args: Any, ignore_grad: bool = False, **kwargs: Any) -> Any:
        loss, size, logs = step(*args, ignore_grad=ignore_grad, **kwargs)
        if ignore_grad:
            size, logs = size * 0, {key: _nothing(value) for key, value in logs.items()}
        return loss, size, logs

    return train_step


def _nothing(value: Any) -> Any:
    """Zero in the place of a number: a tensor may hold one that is not finite."""
    from torch import Tensor, zeros_like

    return zeros_like(value) if isinstance(value, Tensor) else 0 if isinstance(value, int | float) else value
