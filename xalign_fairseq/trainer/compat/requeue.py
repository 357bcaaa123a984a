"""SIGUSR1 makes fairseq-train save a checkpoint after the running update and end with exit code 75.

Why: Slurm sends a signal before a job's time is over (``--signal=USR1@120``), and fairseq ends at it, as of its default
action, without a checkpoint. 75 (EX_TEMPFAIL) tells the job's script to queue it again (scripts/slurm); the same
command goes on.
Touches: ``call_main`` of ``fairseq.distributed.utils``, ``Trainer.__init__`` and ``_aggregate_logging_outputs``, and
``validate_and_save`` of fairseq-train. A handler that is there already, as of submitit, stays.
Can go: when fairseq hears signals.

All processes end after the same update: whether one has heard the signal goes to the others with an update's counts,
which are added up in any case. A process that has started the others hands them the signal.
"""

import functools
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from xalign_fairseq.trainer.compat.patching import replace, source_has, training_loop

NAME = "requeue"
WHY = "fairseq ends at SIGUSR1 without a checkpoint"
WHY_NOT = "fairseq hears SIGUSR1, or this system has none"
REQUEUE = 75
"""The exit code of a run that is to be queued again."""
SIGNAL = getattr(signal, "SIGUSR1", None)
logger = logging.getLogger(__name__)


class _State:
    """Of this process: whether it trains itself, whether it has heard the signal, and whether all know that one has.

    A process of several may hear the signal when the others have begun their next update; only what went around with
    an update's counts ends all of them after the same one.
    """

    trains = False
    heard = False  # no Event: its lock could be held by what the signal interrupts
    agreed = False


def needed() -> bool:
    """Whether fairseq still has no handler."""
    from fairseq.trainer import Trainer

    return SIGNAL is not None and not source_has(Trainer, "SIGUSR1")


def install() -> None:
    """Hear the signal in every process of a training, and look for it after every update."""
    from fairseq.distributed import utils
    from fairseq.trainer import Trainer

    replace(utils, "call_main", NAME, _handed_on)
    replace(Trainer, "__init__", NAME, _hearing)
    replace(Trainer, "_aggregate_logging_outputs", NAME, _told_to_all)


def _note(number: int, frame: FrameType | None) -> None:
    _State.heard = True
    if not _State.trains and multiprocessing.parent_process() is None:
        for child in multiprocessing.active_children():
            if child.pid is not None:
                os.kill(child.pid, number)


def _hear() -> None:
    """Take the signal, in the main thread, which alone can; nobody else's handler is replaced."""
    main = threading.current_thread() is threading.main_thread()
    if main and signal.getsignal(SIGNAL) is signal.SIG_DFL:  # type: ignore[arg-type]
        signal.signal(SIGNAL, _note)  # type: ignore[arg-type]


def _handed_on(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def call_main(cfg: Any, main: Any, **kwargs: Any) -> Any:
        import torch.multiprocessing

        if training_loop() is not None:
            _hear()
        try:
            return original(cfg, main, **kwargs)
        except torch.multiprocessing.ProcessExitedException as error:
            if error.exit_code == REQUEUE:
                raise SystemExit(REQUEUE) from None
            raise

    return call_main


def _hearing(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def __init__(trainer: Any, *args: Any, **kwargs: Any) -> None:
        if loop := training_loop():
            _hear()
            _State.trains = True
            replace(loop, "validate_and_save", NAME, _ending)
        original(trainer, *args, **kwargs)

    return __init__


def _told_to_all(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def aggregate(self: Any, logging_outputs: Any, *counts: Any, ignore: bool = False) -> Any:
        logs, (*summed, heard) = original(self, logging_outputs, *counts, float(_State.heard), ignore=ignore)
        _State.agreed = bool(heard)
        return logs, summed

    return aggregate


def _ending(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def validate_and_save(cfg: Any, trainer: Any, task: Any, epoch_itr: Any, *rest: Any) -> Any:
        found = original(cfg, trainer, task, epoch_itr, *rest)
        ends = _State.heard if trainer.data_parallel_world_size == 1 else _State.agreed
        if ends and not found[1]:  # a run that ends here has its checkpoint
            what = "saved" if _save(cfg, trainer, epoch_itr) else "ends without a new checkpoint"
            logger.info("SIGUSR1: %s at update %d; the same command goes on", what, trainer.get_num_updates())
            raise SystemExit(REQUEUE)
        return found

    return validate_and_save


def _save(cfg: Any, trainer: Any, epoch_itr: Any) -> bool:
    """Write ``checkpoint_last.pt``, whatever else is saved or not; when this returns, rank 0 has.

    Returns:
        whether this process has: no other rank does, nor rank 0 where the model is spoilt (``nonfinite_updates``).
    """
    import torch
    from fairseq import checkpoint_utils
    from omegaconf import open_dict

    with open_dict(cfg.checkpoint):
        cfg.checkpoint.no_save, cfg.checkpoint.no_last_checkpoints = False, False
    saved = checkpoint_utils.save_checkpoint(cfg.checkpoint, trainer, epoch_itr, None)
    if torch.distributed.is_initialized():  # whoever ends first has its launcher end the others
        torch.distributed.barrier()
    return saved is not None
