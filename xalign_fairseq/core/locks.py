"""Locks, so that one process at a time makes an output."""

import errno
import fcntl
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import LEFTOVER, StrPath
from xalign_fairseq.core.json_files import read_json, write_json

# Not filelock's: its release also unlocks the file for a child process that inherited it, and it does not expose a
# descriptor.
LOCK = ".lock"
"""The name of a folder's lock."""


@contextmanager
def locked_folder(folder: Path) -> Iterator[int]:
    """Hold a folder of a run, created if missing, against other processes.

    The system frees the lock when the last process that has it open ends, even by a kill. The lock file remains.
    Otherwise one process could lock the removed file, which it had opened earlier, while another locks a new file.

    Yields:
        the open lock's number, for child processes that also hold the lock (``pass_fds``).
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise XalignError("a file is where a folder is needed", where=error.filename) from None
    except OSError as error:
        raise XalignError("the folder can't be made", where=folder, found=error) from None
    if (folder / "manifest.json").is_file():
        raise XalignError("a run can't be written into a data-bin", where=folder, remedy="choose another folder")
    with _locked(folder / LOCK, folder) as lock:
        yield lock


@contextmanager
def locked_output(output: Path) -> Iterator[None]:
    """Lock a future file against other processes, by a lock next to it, which is removed when the block ends."""
    output.parent.mkdir(parents=True, exist_ok=True)
    lock = output.with_name(output.name + LOCK)
    with _locked(lock, output):
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


@contextmanager
def _locked(lock: Path, output: Path) -> Iterator[int]:
    """Hold a lock file, which its holder may remove: a process that then has the old file opens the new one."""
    while True:
        try:
            handle = os.open(lock, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o666)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise XalignError("the lock can't be written", where=lock, found=error) from None
            raise XalignError("a lock is a symbolic link", where=lock, remedy="remove it, if you trust it") from None
        with open(handle, "a") as stream:
            _hold(stream, output)
            there = None
            with suppress(FileNotFoundError):
                there = os.stat(lock)
            if there and os.path.samestat(there, os.fstat(stream.fileno())):
                yield stream.fileno()
                return


def _hold(stream: IO[str], output: Path) -> None:
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise XalignError("another process is writing this", where=output, remedy="wait for it, or stop it") from None
    except OSError as error:
        remedy = "choose a folder on a local disk"
        raise XalignError("the file system has no locks", where=output, found=error, remedy=remedy) from None


def require_own_folder(folder: Path, note: str, maker: str, parts: Collection[str] = ()) -> None:
    """Raise :class:`XalignError` if a folder has anything but an unfinished output.

    A folder belongs to the command if it is new or empty, has the command's note, or has only files from before the
    note: parts, locks, and temporary files after a kill (:func:`~xalign_fairseq.core.files.atomic_write`), which the
    next write removes.
    """
    if not folder.exists() or (folder / note).is_file():
        return
    if folder.is_dir():
        own = {LOCK} | {name + end for name in (note, *parts) for end in ("", LOCK)}
        names = [each.name for each in folder.iterdir()]
        outputs = [found[1] if (found := re.fullmatch(LEFTOVER, name)) else name for name in names]
        if all({name, output} & own for name, output in zip(names, outputs, strict=True)):
            return
    problem = f"the output folder has files that are not from {maker}"
    raise XalignError(problem, where=folder, remedy=("choose another", Parameter("out")))


def require_no_loss(folder: StrPath, overwrite: bool, note: str, parts: str) -> None:
    """Raise :class:`XalignError` if a new output would replace paths that do not match its ``note`` and ``parts``."""
    names = [each.relative_to(folder).as_posix() for each in Path(folder).rglob("*") if overwrite and not each.is_dir()]
    others = [name for name in names if not re.fullmatch(f"{note}|{parts}", name)]
    if names and (others or not any(re.fullmatch(note, name) for name in names)):
        problem, found = "the folder has files of other origin, which would be lost", ", ".join((others or names)[:3])
        raise XalignError(problem, where=folder, found=found, remedy=("choose another", Parameter("out")))


def differing_values(
    earlier: Mapping[str, Any], now: Mapping[str, Any], but: Iterable[str] = (), between: str = ", now "
) -> str:
    """The keys whose values differ, except ``but``, and both values unless they are digests."""
    found = []
    for key in sorted((earlier.keys() | now.keys()) - set(but)):
        one, other = earlier.get(key), now.get(key)
        if one == other:
            continue
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            found.append(f"{key} ({differing_values(one, other, (), between)})")
        else:
            values = between.join(json.dumps(each, ensure_ascii=False) for each in (one, other))
            found.append(key if re.search(r'"[^"]*[0-9a-f]{12}', values) else f"{key}: {values}")
    return "; ".join(found)


def require_identity(folder: Path, found: Mapping[str, Any], identity: Mapping[str, Any], note: str = "") -> None:
    """Raise :class:`XalignError` with all differences if the folder is another run's; ``note``: what would be lost."""
    if differing := differing_values(found, identity):
        raise XalignError(
            "the output folder belongs to another run",
            where=folder,
            found=f"differs from the earlier run in: {differing}",
            remedy=("choose another", Parameter("out"), "or remove this folder", *([note] if note else [])),
        )


@contextmanager
def resumable_folder(folder: Path, note: str, identity: Mapping[str, Any], maker: str) -> Iterator[None]:
    """Hold a folder, created if needed. Its note has the ``identity``: everything that determines the result."""
    require_own_folder(folder, note, maker)
    folder.mkdir(parents=True, exist_ok=True)
    with locked_output(folder / note):
        if (folder / note).is_file():
            require_identity(folder, read_json(folder / note), identity)
        write_json(folder / note, identity)
        yield
