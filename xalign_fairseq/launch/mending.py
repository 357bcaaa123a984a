"""The checkpoints of a run that was killed: whole again, so that the training goes on."""

import shutil
from collections.abc import Callable
from pathlib import Path

from xalign_fairseq.files import atomic_write

BEST, LAST = "checkpoint_best.pt", "checkpoint_last.pt"


def mend(folder: Path, updates_of: Callable[[Path], int | None], say: Callable[[str], object] = print) -> bool:
    """Make the damaged checkpoints in a folder whole; whether there is a last one, to go on from.

    fairseq writes a checkpoint whole under one name and copies it to the others in place, so that a kill may leave half
    a copy: the newest whole checkpoint is what was being copied. It takes the place of a damaged best or last one; what
    is damaged besides is removed. Where none is whole, all are removed and training begins anew.

    Args:
        folder: what fairseq-train calls ``--save-dir``; it need not be there.
        updates_of: the updates that a checkpoint has had, None if it is damaged.
        say: is told what is mended or removed.

    Example::

        if mend(Path("run/checkpoints"), checkpoint.updates_of):
            print("going on from the last checkpoint")
    """
    updates = {path: updates_of(path) for path in sorted(folder.glob("checkpoint_*.pt"))}
    whole = {path: number for path, number in updates.items() if number is not None}
    newest = max(whole, key=lambda path: whole[path], default=None)
    for path in updates.keys() - whole.keys():
        if newest is not None and path.name in (BEST, LAST):
            say(f"{path} is damaged: {newest.name}, of update {whole[newest]}, takes its place")
            with open(newest, "rb") as source, atomic_write(path, "wb") as target:
                shutil.copyfileobj(source, target)
        else:
            say(f"{path} is damaged and is removed")
            path.unlink()
    if updates and newest is None:
        say(f"no checkpoint in {folder} is whole: training begins anew")
    return (folder / LAST).is_file()
