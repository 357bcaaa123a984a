"""A ``--restore-file`` that does not exist is an error.

Why: fairseq logs that it has found no checkpoint, and trains from the weights that the model begins with. A mistyped
name costs a whole run, which ends as if all was well.
Touches: ``fairseq.checkpoint_utils.load_checkpoint``, before it reads.
Can go: when fairseq refuses it.
"""

import functools
from collections.abc import Callable
from typing import Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer.compat.patching import replace, source_has
from xalign_fairseq.trainer.mending import LAST

NAME = "missing --restore-file"
WHY = "fairseq trains from scratch, without a warning, where --restore-file does not exist"
WHY_NOT = "fairseq refuses a --restore-file that does not exist"


def needed() -> bool:
    """Whether fairseq still goes on without it."""
    from fairseq.trainer import Trainer

    return source_has(Trainer.load_checkpoint, "No existing checkpoint found")


def install() -> None:
    """Look for the file."""
    from fairseq import checkpoint_utils

    replace(checkpoint_utils, "load_checkpoint", NAME, _required)


def _required(load: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(load)
    def load_checkpoint(cfg: Any, trainer: Any, **options: Any) -> Any:
        from fairseq.file_io import PathManager

        # Sharded states have names of their own.
        if cfg.restore_file != LAST and not trainer.checkpoint_suffix and not PathManager.exists(cfg.restore_file):
            raise XalignError(
                "the checkpoint to go on from does not exist",
                parameter="restore_file",
                found=cfg.restore_file,
                remedy=f"give a checkpoint's path; without the option a run continues from its own {LAST}, if any",
            )
        return load(cfg, trainer, **options)

    return load_checkpoint
