"""The checkpoints of a run that was killed: whole again, so that the training goes on."""

from collections.abc import Callable
from pathlib import Path

from xalign_fairseq.core.files import atomic_copy

BEST, LAST = "checkpoint_best.pt", "checkpoint_last.pt"


def repair(
    folder: Path, updates_of: Callable[[Path], int | None], say: Callable[[str], object]
) -> tuple[Path | None, list[Path]]:
    """Put the newest whole checkpoint in the place of a damaged best or last one.

    A copy that was broken off is one of the newest checkpoint, which is whole under the name that it was written to. A
    model that holds no training is not damaged: it stays, and takes no other's place.

    Args:
        folder: what fairseq-train calls ``--save-dir``; it need not be there.
        updates_of: the updates that a checkpoint has had, 0 of a model without training, None if it is damaged.
        say: is told what takes whose place.

    Returns:
        the newest whole checkpoint of a training, None if there is none; and what is damaged still.
    """
    updates = {path: updates_of(path) for path in sorted(folder.glob("checkpoint*.pt"))}
    whole = {path: number for path, number in updates.items() if number}
    newest = max(whole, key=lambda path: whole[path], default=None)
    damaged = [path for path, number in updates.items() if number is None]
    if newest is None:
        return None, damaged
    for path in damaged:
        if path.name in (BEST, LAST):
            say(f"{path} is damaged: {newest.name}, of update {whole[newest]}, takes its place")
            atomic_copy(newest, path)
    return newest, [path for path in damaged if path.name not in (BEST, LAST)]


def mend(folder: Path, updates_of: Callable[[Path], int | None], say: Callable[[str], object] = print) -> bool:
    """:func:`repair` a run's own folder, and remove what is damaged still; whether there is a last one, to go on from.

    Where no checkpoint of a training is whole, it begins anew.

    Example::

        if mend(Path("run/checkpoints"), checkpoint.updates_of):
            print("going on from the last checkpoint")
    """
    newest, damaged = repair(folder, updates_of, say)
    for path in damaged:
        say(f"{path} is damaged and is removed")
        path.unlink()
    if damaged and newest is None:
        say(f"no checkpoint of a training in {folder} is whole: training begins anew")
    return (folder / LAST).is_file()
