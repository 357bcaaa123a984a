"""Repair the checkpoints of a killed run, so that training resumes."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import atomic_copy

BEST, LAST = "checkpoint_best.pt", "checkpoint_last.pt"
Say = Callable[[str], object]


def repair(folder: Path, say: Say) -> tuple[Path | None, list[Path]]:
    """Replace a damaged best or last checkpoint by the newest intact one; returns it, and the unreadable files.

    A model without training state is not damaged: it stays and replaces no other. A readable checkpoint with wrong
    checksums stays, too, if no intact one can replace it.
    """
    from xalign_fairseq.encoder.checkpoint import is_intact, updates_of  # here, because it loads torch

    intact = functools.cache(is_intact)  # reads whole files, so only those in use
    updates = {path: updates_of(path) for path in sorted(folder.glob("checkpoint*.pt"))}
    whole = {path: number for path, number in updates.items() if number}
    newest = next((path for path in sorted(whole, key=lambda path: -whole[path]) if intact(path)), None)
    damaged = [path for path, number in updates.items() if number is None]
    changed = [path for path in (folder / BEST, folder / LAST) if updates.get(path) is not None and not intact(path)]
    if newest is None:
        for path in changed:
            say(f"the checksums of {path} are wrong, and no other checkpoint can replace it")
        return None, damaged
    for path in (*damaged, *changed):
        if path.name in (BEST, LAST):
            say(f"{path} is damaged: {newest.name}, of update {whole[newest]}, replaces it")
            atomic_copy(newest, path)
    return newest, [path for path in damaged if path.name not in (BEST, LAST)]


def repair_run(folder: Path, say: Say) -> bool:
    """:func:`repair` a run's folder and rename files that are still unreadable; returns whether a run can resume."""
    newest, damaged = repair(folder, say)
    for path in damaged:
        aside = path.with_name(f"{path.name}.unreadable")
        say(f"{path} is damaged, or not a training checkpoint: it is renamed to {aside.name}")
        path.replace(aside)
    if damaged and newest is None:
        say(f"{folder} has no intact checkpoint: training starts from the beginning")
    return (folder / LAST).is_file()


def with_training(state: dict[str, Any], filename: str, restart: bool) -> dict[str, Any]:
    """A model-only checkpoint of another tool, with an empty training state added."""
    if "optimizer_history" in state or "best_loss" in state:
        return state
    if not restart:
        remedy = ("start from it with", Parameter("finetune_from_model"), "or", Parameter("init_checkpoint"))
        raise XalignError("the checkpoint has no training state", where=filename, remedy=remedy)
    none = {"criterion_name": "", "optimizer_name": "", "lr_scheduler_state": {}, "num_updates": 0}
    return {"extra_state": {}, "last_optimizer_state": None, **state, "optimizer_history": [none]}
