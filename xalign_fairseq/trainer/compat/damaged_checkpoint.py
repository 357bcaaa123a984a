"""Training goes on from the newest whole checkpoint where ``checkpoint_last.pt`` is damaged.

Why: fairseq reads ``checkpoint_last.pt`` alone. A copy that a kill or a full disk has broken off, of an earlier release
or on a file system without renaming, ends every restart, though whole checkpoints lie beside it.
Touches: ``fairseq.checkpoint_utils.load_checkpoint``, before it reads.
Can go: when fairseq looks for another checkpoint itself.
"""

import functools
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from xalign_fairseq.trainer.compat.patching import replace, source_has
from xalign_fairseq.trainer.mending import LAST, repair

NAME = "damaged checkpoint"
WHY = "fairseq ends at a damaged checkpoint_last.pt, though others are whole"
WHY_NOT = "fairseq looks for a whole checkpoint itself"
logger = logging.getLogger(__name__)


def needed() -> bool:
    """Whether fairseq still reads one file and no other."""
    from fairseq import checkpoint_utils

    return source_has(checkpoint_utils.load_checkpoint, '"checkpoint_last{}.pt".format(suffix)')


def install() -> None:
    """Look at the checkpoint, and at the others if it is damaged, before it is read."""
    from fairseq import checkpoint_utils

    replace(checkpoint_utils, "load_checkpoint", NAME, _repaired)


def _repaired(load: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(load)
    def load_checkpoint(cfg: Any, trainer: Any, **options: Any) -> Any:
        import torch

        # Sharded states have a file for each process, which none of them can replace by itself.
        if cfg.restore_file == LAST and not trainer.checkpoint_suffix:
            if trainer.data_parallel_rank == 0 and (Path(cfg.save_dir) / LAST).is_file():
                repair(Path(cfg.save_dir), logger.warning)
            if torch.distributed.is_initialized():  # the others look at the same file
                torch.distributed.barrier()
        return load(cfg, trainer, **options)

    return load_checkpoint
