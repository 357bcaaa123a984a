"""SIGUSR1 to fairseq-train: a checkpoint after the running update, and exit code 75.

Slurm can send a signal before a job's time is over (``--signal=USR1@120``); fairseq would end without a checkpoint.
With exit code 75 the job's script requeues it (scripts/slurm); the same command resumes. This file receives the signal
and passes it to the processes that train; :mod:`xalign_fairseq.trainer.trainer` saves and ends.
"""

import multiprocessing
import os
import signal
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from omegaconf import DictConfig

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.locks import LOCK, locked_folder
from xalign_fairseq.core.signals import REQUEUE
from xalign_fairseq.trainer.compat.patching import Function, instead, replace, training_loop

HELD = "XALIGN_HELD_FOLDERS"
"""The variable with the folders that a training holds, for its processes."""
_locks = ExitStack()  # until this process ends


def hold(cfg: DictConfig) -> None:
    """Lock the folder of a training's checkpoints, unless the launcher or a parent process holds the lock."""
    if cfg.no_save:
        return
    folder = Path(cfg.save_dir).resolve()
    held = os.environ.get(HELD, "").split("\n")
    if str(folder) in held:
        return
    if not _is_inherited(folder / LOCK):
        _locks.enter_context(locked_folder(folder))
    os.environ[HELD] = "\n".join([*filter(None, held), str(folder)])


def _is_inherited(lock: Path) -> bool:
    """Whether this process inherited the open lock."""
    with suppress(OSError):
        known = lock.stat()
        for number in os.listdir("/dev/fd"):
            with suppress(OSError):  # the descriptor of the listing itself
                if os.path.samestat(os.fstat(int(number)), known):
                    return True
    return False


class Signalled:
    """Whether this process received SIGUSR1, and whether it trains itself or started the training processes."""

    received = False  # not an Event: the interrupted code could hold its lock
    trains = False


def listen() -> None:
    """Handle the signal in the main thread (as Python requires); another handler, such as submitit's, stays."""
    main = threading.current_thread() is threading.main_thread()
    if main and signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL:
        signal.signal(signal.SIGUSR1, _note)


def _note(number: int, frame: FrameType | None) -> None:
    Signalled.received = True
    if not Signalled.trains and multiprocessing.parent_process() is None:
        for child in multiprocessing.active_children():
            if child.pid is not None:
                os.kill(child.pid, number)


def install() -> None:
    """Also listen in the parent of the training processes, and exit with their code."""
    from fairseq.distributed import utils

    replace(utils, "call_main", "requeue", _listening)


@instead
def _listening(original: Function, cfg: Any, main: object, **kwargs: object) -> Any:
    import torch.multiprocessing

    loop = training_loop()
    if loop is not None and main.__module__ == loop.__name__:  # not while a trained process validates
        listen()
        if all(os.environ.get(name, "0") == "0" for name in ("RANK", "SLURM_PROCID")):  # the first process
            hold(cfg.checkpoint)
    try:
        return original(cfg, main, **kwargs)
    except torch.multiprocessing.ProcessExitedException as error:
        if error.exit_code == REQUEUE:
            raise SystemExit(REQUEUE) from None
        if error.exit_code == -signal.SIGKILL:
            problem = "a training process was killed, probably for lack of memory"
            raise XalignError(problem, remedy="run the same command again, to resume") from None
        raise
