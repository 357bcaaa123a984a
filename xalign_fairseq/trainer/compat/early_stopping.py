"""Training that is resumed goes on counting the validations without improvement that end it (``--patience``).

Why: fairseq counts them in the running process alone. After every resumption the count begins anew, and with it the
best value that it compares to, so that a run that is broken off often enough never ends early.
Touches: ``fairseq.trainer.Trainer.save_checkpoint`` and ``load_checkpoint``; a checkpoint's ``extra_state`` has one
more key.
Can go: when fairseq saves the count.
"""

import functools
from collections.abc import Callable
from typing import Any

from xalign_fairseq.trainer.compat.patching import replace, source_has, training_loop

NAME = "early stopping"
WHY = "fairseq forgets at a resumption how many validations brought no improvement"
WHY_NOT = "fairseq saves how many validations brought no improvement"
KEY = "early_stopping"


def needed() -> bool:
    """Whether checkpoints still lack the count."""
    from fairseq import checkpoint_utils

    return not source_has(checkpoint_utils.save_checkpoint, "num_runs")


def install() -> None:
    """Save the count with a checkpoint, and restore it where the best value so far is restored too."""
    from fairseq.trainer import Trainer

    replace(Trainer, "save_checkpoint", NAME, _saved)
    replace(Trainer, "load_checkpoint", NAME, _restored)


def stopping_counter() -> Any:
    """fairseq's function, whose attributes are the count; None in a process that does not train."""
    return getattr(training_loop(), "should_stop_early", None)


def _saved(save: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(save)
    def save_checkpoint(self: Any, filename: str, extra_state: dict[str, Any]) -> Any:
        counter = stopping_counter()
        if hasattr(counter, "num_runs"):
            extra_state = {**extra_state, KEY: {"best": counter.best, "num_runs": counter.num_runs}}
        return save(self, filename, extra_state)

    return save_checkpoint


def _restored(load: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(load)
    def load_checkpoint(
        self: Any,
        filename: str,
        reset_optimizer: bool = False,
        reset_lr_scheduler: bool = False,
        optimizer_overrides: dict[str, Any] | None = None,
        reset_meters: bool = False,
    ) -> Any:
        extra_state = load(self, filename, reset_optimizer, reset_lr_scheduler, optimizer_overrides, reset_meters)
        counter = stopping_counter()
        if extra_state and KEY in extra_state and counter and not (reset_optimizer or reset_meters):
            counter.best, counter.num_runs = extra_state[KEY]["best"], extra_state[KEY]["num_runs"]
        return extra_state

    return load_checkpoint
