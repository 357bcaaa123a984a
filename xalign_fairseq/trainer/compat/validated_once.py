"""An update that is left out brings no second validation of the one before it.

Why: fairseq validates and saves by the number of updates. After an update that does not count (its gradient was not
finite, or ``--fp16`` overflowed) the number is still the one that was validated: the same model is validated again, and
counts as one without improvement (``--patience``), which may end the run.
Touches: ``validate_and_save`` of fairseq-train, from ``fairseq.trainer.Trainer.__init__``.
Can go: when fairseq looks at whether an update was made.

It stands last among the units, so that what ends a run there (``requeue``) is asked at every update.
"""

import functools
from collections.abc import Callable
from typing import Any

from xalign_fairseq.trainer.compat.patching import replace_in_loop, source_has

NAME = "validated once"
WHY = "fairseq validates again after an update that is left out"
WHY_NOT = "fairseq validates after updates that were made"


def needed() -> bool:
    """Whether the trainer still tells of an update that is left out by its log alone."""
    from fairseq.trainer import Trainer

    return source_has(Trainer.train_step, "logging_output = None")


def install() -> None:
    """Look at the updates before each validation, once the loop is there."""
    replace_in_loop("validate_and_save", NAME, _unless_done)


def _unless_done(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def validate_and_save(
        cfg: Any, trainer: Any, task: Any, epoch_itr: Any, valid_subsets: list[str], end_of_epoch: bool
    ) -> Any:
        updates = trainer.get_num_updates()
        again = updates == getattr(trainer, "looked_at_update", None) and not end_of_epoch
        trainer.looked_at_update = updates
        if again:
            return [None], False
        return original(cfg, trainer, task, epoch_itr, valid_subsets, end_of_epoch)

    return validate_and_save
