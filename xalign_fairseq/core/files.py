"""Write files and folders completely or not at all; digests of files."""

import ctypes
import fcntl
import hashlib
import os
import re
import secrets
import shutil
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TypeAlias

from xalign_fairseq.core.errors import Parameter, XalignError

StrPath: TypeAlias = str | os.PathLike[str]
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")  # endings of compressed text, allowed only for input
OFFICE = (".docx", ".doc", ".odt", ".xlsx", ".xls", ".ods", ".csv", ".pdf")  # formats that are never written
# The name of an unfinished output, which remains after a kill: the output's name and the process.
LEFTOVER = r"\.(.+)\.(\d+)-[0-9a-f]{12}\.tmp"


@contextmanager
def atomic_write(path: StrPath, mode: str = "w") -> Iterator[IO]:
    """Open a temporary file next to ``path`` for writing; rename it to ``path`` unless the block fails.

    Text is UTF-8 with LF line ends; a byte of a file name that is not UTF-8 becomes ``\\udcff``, which JSON reads back.
    Devices and pipes (``/dev/null``) are written directly. A file that the process already has open (``/dev/stdout``,
    ``/dev/fd/3``) is appended to. A symbolic link stays a link; its target is replaced. An existing file keeps its
    permissions; without permission to write it, it is an error. Leftovers of killed processes are removed.
    """
    path = Path(path)
    require_place(path, binary="b" in mode)  # fail before the work
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n", "errors": "backslashreplace"}
    # Renaming would replace the device, or the file that the shell opened.
    number = opened(path)
    if number is not None or (path.exists() and not path.is_file()):
        with open(path if number is None else os.dup(number), mode, **text) as stream:  # type: ignore[call-overload]
            yield stream
        return
    path = _resolved(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path)
    temporary = _temporary(path)
    # Not with tempfile: its files are private, while these permissions follow the umask.
    handle = new_file(temporary, path)
    try:
        hold(handle)
        with os.fdopen(handle, mode, **text) as stream:  # type: ignore[call-overload]
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            os.replace(temporary, path)  # while the lock is held, so that no process removes it as a leftover
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def new_file(path: StrPath, like: StrPath = "") -> int:
    """Create and open a file, with the permissions of ``like`` if that exists; returns its number.

    An existing file or link is an error.
    """
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_RDWR, 0o666)
    with suppress(OSError):  # no such file, or no permissions on this file system
        os.fchmod(handle, os.stat(like).st_mode & 0o777)
    return handle


def require_own(path: StrPath) -> None:
    """Raise :class:`XalignError` for an unfinished file that is a symbolic link or belongs to another user."""
    found = os.lstat(path)
    if stat.S_ISLNK(found.st_mode) or found.st_uid != os.geteuid():
        kind = "a symbolic link" if stat.S_ISLNK(found.st_mode) else f"a file of user {found.st_uid}"
        problem = "the unfinished output belongs to another user"
        raise XalignError(problem, where=path, found=kind, remedy="remove it, if you trust it")


def opened(path: StrPath) -> int | None:
    """The number of this process's open file for a name like ``/dev/fd/3``; None for other names."""
    streams = {"/dev/stdout": 1, "/dev/stderr": 2}
    found = re.fullmatch(r"/(?:dev|proc/self)/fd/(\d+)", os.fspath(path))
    return int(found[1]) if found and os.path.exists(path) else streams.get(os.fspath(path))


def atomic_copy(source: StrPath, target: StrPath) -> None:
    """Copy a file completely or not at all, by :func:`atomic_write`."""
    with open(source, "rb") as stream, atomic_write(target, "wb") as out:
        shutil.copyfileobj(stream, out, 1 << 24)


@contextmanager
def atomic_folder(path: StrPath, overwrite: bool | None = False, keep: bool = False) -> Iterator[Path]:
    """Fill a temporary folder next to ``path``; rename it to ``path`` unless the block fails.

    An existing non-empty ``path`` is an error unless ``overwrite`` (see :func:`require_free`); even then the old folder
    remains until the new one is complete. A folder never replaces a file. A symbolic link stays a link; its target is
    replaced. Leftovers of killed processes are removed.

    With ``keep``, the temporary folder remains after an error or a kill, and the next call with ``keep`` continues in
    it.
    """
    if os.fspath(path) == "-":
        raise XalignError("this output is a folder, not standard output", found=path, expected="the name of a folder")
    path = _resolved(path)
    if path.exists() and not path.is_dir():
        raise XalignError("the output folder is a file", where=path)
    if path in (Path.cwd(), *Path.cwd().parents):  # a rename would not change the current folder
        raise XalignError("the current folder can't be replaced by the output", where=path, remedy="name a new folder")
    require_free(path, overwrite=overwrite)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path)
    for left, held in _leftovers(path, running=True):
        if not hold(held):  # held by another process, or by another block of this one
            raise XalignError("another process writes this output", where=path, found=left)
    temporary = path.with_name(f".{path.name}.unfinished") if keep else _temporary(path)
    temporary.mkdir(exist_ok=keep)
    require_own(temporary)
    handle = os.open(temporary, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if not hold(handle) and keep:
            raise XalignError("another process writes this output", where=path, found=temporary)
        yield temporary
        require_free(path, overwrite=overwrite)
        if path.exists():
            _exchange(temporary, path)
            shutil.rmtree(temporary)
        else:
            os.replace(temporary, path)
    except BaseException:
        if not keep:
            shutil.rmtree(temporary, ignore_errors=True)
        raise
    finally:
        os.close(handle)


@contextmanager
def scratch_folder(path: StrPath) -> Iterator[Path]:
    """A temporary folder next to the output, removed when the block ends, like leftovers of killed processes."""
    path = _resolved(path)
    _remove_leftovers(path)
    temporary = _temporary(path)
    temporary.mkdir()
    handle = os.open(temporary, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        hold(handle)
        yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        os.close(handle)


def usual_mode(path: StrPath) -> None:
    """Give a file written by a library the permissions of a new file (umask)."""
    probe = _temporary(Path(path))
    handle = new_file(probe)
    try:
        os.chmod(path, os.fstat(handle).st_mode & 0o777)
    finally:
        os.close(handle)
        probe.unlink()


def require_place(path: StrPath, inputs: Iterable[StrPath] = (), binary: bool = False) -> None:
    """Raise :class:`XalignError` for an unwritable place, an input, standard output or a compressed name."""
    if os.fspath(path).partition(".")[0] == "-":  # also a prefix
        raise XalignError("this output is a file, not standard output", found=path, expected="the name of a file")
    if os.fspath(path).endswith(COMPRESSED) and not binary:
        remedy = f"write {os.path.splitext(path)[0]}, and compress it afterwards"
        raise XalignError("this output can't be compressed", where=path, remedy=remedy)
    if os.fspath(path).lower().endswith(OFFICE) and not binary:
        problem, expected = "no output is CSV or an office document", "another ending, such as .txt; .tsv for tables"
        raise XalignError(problem, where=path, expected=expected)
    place = _resolved(path)
    if place.is_dir():
        raise XalignError("the output file is a folder", where=path)
    above = _above(place)
    if not above.is_dir():
        raise XalignError("the output's folder is a file", where=path, found=above)
    if opened(path) is None and (place.is_file() or not place.exists()):  # not for a device or a pipe
        _require_writable(above, path)
        if place.is_file() and not os.access(place, os.W_OK):
            raise XalignError("the output is a read-only file", where=path, remedy="choose another name")
    for each in inputs:
        if not (place.is_file() and os.path.exists(each)):
            continue
        if os.path.samefile(place, each) or (os.path.isdir(each) and _resolved(each) in place.parents):
            remedy = "choose another name for the output"
            raise XalignError("the output is also an input", where=path, found=each, remedy=remedy)


def require_no_colon(folder: StrPath) -> None:
    """Raise :class:`XalignError` for a colon in the absolute path of a data folder, where fairseq would split it."""
    where = Path(folder).absolute()
    if ":" in str(where):
        raise XalignError("fairseq's data folder can't contain a colon", where=where, remedy="choose another path")


def require_apart(outputs: Iterable[StrPath], parameters: Sequence[str]) -> None:
    """Raise :class:`XalignError` if two outputs are one file; devices and pipes can be shared."""
    places = Counter(_resolved(path) for path in outputs if opened(path) is None)
    if same := [place for place, times in places.items() if times > 1 and (place.is_file() or not place.exists())]:
        problem, remedy = "two outputs have the same name", "rename the inputs or outputs"
        raise XalignError(problem, where=same[0], parameter=parameters, remedy=remedy)


def _above(place: Path) -> Path:
    """The nearest existing folder above a path, or the file that is there instead."""
    return next(each for each in place.parents if each.exists())


def _require_writable(folder: Path, output: StrPath) -> None:
    """Raise :class:`XalignError` if this user can't make files in the folder of an output."""
    if not os.access(folder, os.W_OK | os.X_OK):
        raise XalignError("you have no permission to write into the output's folder", where=output, found=folder)


def require_outside(read: StrPath, output: StrPath) -> None:
    """Raise :class:`XalignError` if an output, which may replace an existing file, is an input or contains one."""
    source, target = _resolved(read), _resolved(output)
    if target in (source, *source.parents):
        raise XalignError("the output is or contains an input, which would be lost", where=output, found=read)


def _resolved(path: StrPath) -> Path:
    return Path(os.path.realpath(path))


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(6)}.tmp")


def require_free(*paths: StrPath, overwrite: bool | None = False) -> None:
    """Raise :class:`XalignError` for an existing file or non-empty folder, unless ``overwrite`` (None: no option)."""
    there = [str(each) for each in map(Path, paths) if (any(each.iterdir()) if each.is_dir() else each.exists())]
    if there and not overwrite:
        remedy = ("choose another name", *(() if overwrite is None else ("or set", Parameter("overwrite"))))
        raise XalignError("the output already exists", where=", ".join(there), remedy=remedy)
    for path in paths:
        _require_writable(_above(_resolved(path)), path)


def hold(handle: int) -> bool:
    """Lock an open file or folder, if the file system has locks; False if it is in use."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def _leftovers(path: Path, running: bool) -> Iterator[tuple[Path, int]]:
    """Opened temporaries of the same output, either of running processes or of ended ones."""
    for left in path.parent.iterdir():
        found = re.fullmatch(LEFTOVER, left.name)
        if found and found[1] == path.name and _is_running(int(found[2])) == running:
            with suppress(OSError):  # removed meanwhile, or another user's
                handle = os.open(left, os.O_RDONLY | os.O_NOFOLLOW)
                try:
                    yield left, handle
                finally:
                    os.close(handle)


def _remove_leftovers(path: Path) -> None:
    """Remove leftovers of killed processes of the same output; files in use stay."""
    for left, handle in _leftovers(path, running=False):
        with suppress(OSError):  # held by a process on another machine
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if left.is_dir():
                shutil.rmtree(left)
            else:
                left.unlink()


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True


def _exchange(first: Path, second: Path) -> None:
    """Exchange the names of two folders; on Linux in one step, so that a kill leaves either the old or the new one."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    if rename is not None and rename(here, os.fsencode(first), here, os.fsencode(second), exchange) == 0:
        return
    old = _temporary(second)
    os.replace(second, old)
    os.replace(first, second)
    os.replace(old, first)


def nearly(path: StrPath) -> str | None:
    """A text with existing paths similar to a missing one, or to its first missing folder; None if there are none."""
    import difflib

    path = Path(path)
    while not path.parent.exists():
        path = path.parent
    try:
        there = sorted(os.listdir(path.parent))
    except OSError:  # no permission, or a file instead of a folder
        return None
    near = [str(path.with_name(name)) for name in difflib.get_close_matches(path.name, there, n=3, cutoff=0.7)]
    return f"only similar names: {', '.join(near)}" if near else None


def is_file_name(name: str) -> bool:
    """Whether a text is a plain file name: no folder, no characters that an operating system forbids."""
    try:
        return 0 < len(os.fsencode(name)) < 256 and name == Path(name).name and "\0" not in name
    except UnicodeError:
        return False


def file_sha256(path: Path) -> str:
    """sha256 of a file, in hexadecimal."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
