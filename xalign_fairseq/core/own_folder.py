"""The output folder of a command that can be resumed: which folders are its own."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import LEFTOVER
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.locks import LOCK, alone_on


def require_own_folder(folder: Path, note: str, maker: str, parts: Collection[str] = ()) -> None:
    """Raise :class:`XalignError` if anything else is in a folder than an output that was begun.

    A folder belongs to the command if it is new or empty, if it has the command's note, or if it only has files that
    are written before the note: parts, locks, and their temporary files after a kill
        (:func:`~xalign_fairseq.core.files.atomic_write`), which the next write removes.

    Args:
        note: the name of the file that says what was begun.
        parts: names of files and folders that may be there before the note.
    """
    if not folder.exists() or (folder / note).is_file():
        return
    if folder.is_dir():
        own = {LOCK} | {name + end for name in (note, *parts) for end in ("", LOCK)}
        strange = [each.name for each in folder.iterdir() if not {each.name, _of_leftover(each.name)} & own]
        if not strange:
            return
    raise XalignError(
        f"the output folder contains other files than {maker}",
        where=folder,
        expected="a new or empty folder, or one that the same command has begun",
        remedy=("choose another", Parameter("out")),
    )


def _of_leftover(name: str) -> str | None:
    found = re.fullmatch(LEFTOVER, name)
    return found[1] if found else None


def differing_keys(first: Mapping[str, Any], second: Mapping[str, Any], but: Iterable[str] = ()) -> list[str]:
    """The keys, sorted, whose values differ or that only one has, except those in ``but``."""
    return [key for key in sorted((first.keys() | second.keys()) - set(but)) if first.get(key) != second.get(key)]


def require_identity(folder: Path, found: Mapping[str, Any], identity: Mapping[str, Any], note: str = "") -> None:
    """Raise :class:`XalignError`, with all differences, if the folder belongs to another run.

    ``note`` says what removing the folder would lose.
    """
    if differing := differing_keys(found, identity):
        raise XalignError(
            "the output folder belongs to another run",
            where=folder,
            found="; ".join(f"{key} {json.dumps(found.get(key))}" for key in differing),
            expected="; ".join(f"{key} {json.dumps(identity.get(key))}" for key in differing),
            remedy=("choose another", Parameter("out"), "or remove this folder", *([note] if note else [])),
        )


@contextmanager
def begun_folder(folder: Path, note: str, identity: Mapping[str, Any], maker: str) -> Iterator[None]:
    """Hold a folder, created if needed; its note has the ``identity``, everything that determines the result."""
    require_own_folder(folder, note, maker)
    folder.mkdir(parents=True, exist_ok=True)
    with alone_on(folder / note):
        if (folder / note).is_file():
            require_identity(folder, read_json(folder / note), identity)
        write_json(folder / note, identity)
        yield
