"""The user's cache: files that can be made again, in a folder that only this user can write."""

import os
import stat
from pathlib import Path

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path:
    """``$XALIGN_CACHE``, otherwise ``xalign_fairseq`` in the system's folder for caches; it may not be there yet.

    Raises:
        RuntimeError: this user has no home.
    """
    if given := os.environ.get("XALIGN_CACHE"):
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "xalign_fairseq"


def make_private(folder: Path) -> None:
    """Make a folder of the cache, and those above it, only for this user, if missing.

    Raises:
        PermissionError: it, or the cache, is there and not to be trusted, see :func:`fault`.
        OSError: it can't be made.
    """
    for each in (cache_folder(), folder):
        each.mkdir(parents=True, exist_ok=True, mode=0o700)
        if reason := fault(each.resolve()):
            raise PermissionError(reason)


def fault(path: Path) -> str | None:
    """Why files of this folder must not be run or read: someone else may have put it there. None if it may.

    Files and folders of this user and of root are trusted, if nobody else may write them; symbolic links are not.
    """
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        return f"{path} is a symbolic link"
    if found.st_uid not in (0, os.geteuid()):
        return f"{path} belongs to another user"
    if found.st_mode & OTHERS_WRITE:
        return f"other users may write {path}; if its contents are yours, chmod -R go-w fixes it"
    return None
