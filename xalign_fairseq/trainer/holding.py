"""One training at a time in a ``--save-dir``, also if fairseq-train is started by hand."""

import os
from contextlib import ExitStack
from pathlib import Path

from omegaconf import DictConfig

from xalign_fairseq.core.locks import LOCK, alone

HELD = "XALIGN_HELD_FOLDERS"
"""The variable with the folders that a training holds, for its processes."""
_locks = ExitStack()  # until this process ends


def hold(cfg: DictConfig) -> None:
    """Hold the folder of a training's checkpoints, unless its launcher or a process before this one does.

    Args:
        cfg: the group ``checkpoint`` of fairseq's configuration.

    Raises:
        XalignError: another training holds it.
    """
    if cfg.no_save:
        return
    folder = Path(cfg.save_dir).resolve()
    held = os.environ.get(HELD, "").split(os.pathsep)
    if str(folder) in held:
        return
    if not _is_inherited(folder / LOCK):
        _locks.enter_context(alone(folder))
    os.environ[HELD] = os.pathsep.join([*filter(None, held), str(folder)])


def _is_inherited(lock: Path) -> bool:
    """Whether this process was started with the lock open."""
    try:
        known, opened = lock.stat(), os.listdir("/dev/fd")
    except OSError:
        return False
    return any(_is_same(int(number), known) for number in opened)


def _is_same(number: int, known: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.fstat(number), known)
    except OSError:  # it was that of the listing
        return False
