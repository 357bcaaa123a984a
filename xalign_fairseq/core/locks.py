"""One process at a time makes an output."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from xalign_fairseq.core.errors import XalignError

# Not filelock's: its release also unlocks the file for a child process that inherited it, and it does not expose a
# descriptor.
LOCK = ".lock"
"""The name of a folder's lock."""


@contextmanager
def alone(folder: Path) -> Iterator[int]:
    """Hold a folder, created if missing, against other processes.

    The system frees the lock when the last process that has it open ends, even if that was killed. Its file stays: if
    it went, a process that had opened it could lock it while the next locked a new one.

    Yields:
        the open lock's number, for processes that are to hold it too (``pass_fds``).
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise XalignError(
            "a file is where a folder is needed", where=error.filename, remedy="move the file, or choose another folder"
        ) from None
    with _locked(folder / LOCK, folder) as lock:
        yield lock


@contextmanager
def alone_on(output: Path) -> Iterator[None]:
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
    """Hold a lock file.

    Who holds it may remove it. A process that opened it earlier would then hold a file that the next process does not
    see, so it opens the file again.
    """
    while True:
        try:
            handle = os.open(lock, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o666)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            raise XalignError("a lock is a symbolic link", where=lock, remedy="remove it, if you trust it") from None
        with open(handle, "a") as stream:
            _hold(stream, output)
            if _is_there(lock, stream):
                yield stream.fileno()
                return


def _is_there(lock: Path, stream: IO[str]) -> bool:
    try:
        return os.path.samestat(os.stat(lock), os.fstat(stream.fileno()))
    except FileNotFoundError:
        return False


def _hold(stream: IO[str], output: Path) -> None:
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise XalignError("another process is writing this", where=output, remedy="wait for it, or stop it") from None
    except OSError as error:
        raise XalignError(
            "the file system has no locks", where=output, found=error, remedy="choose a folder on a local disk"
        ) from None
