"""Files and folders that appear whole or not at all, and what tells one file from another."""

import ctypes
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from xalign_fairseq.errors import XalignError


@contextmanager
def atomic_write(path: str | os.PathLike, mode: str = "w") -> Iterator[IO]:
    """Open a temporary file beside ``path`` for writing; rename it to ``path`` only if the block ends without an error.

    Text is UTF-8 with LF line ends. What exists and is no regular file (``/dev/null``, a pipe) is written as it is.

    Example::

        with atomic_write("links.txt") as f:
            f.write("0-0\\n")
    """
    path = Path(path)
    if path.is_dir():  # found here, not after the work
        raise XalignError("the output file is a folder", where=path, expected="the name of a file")
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    if path.exists() and not path.is_file():  # renaming would put a file in the device's place
        with open(path, mode, **text) as stream:  # type: ignore[call-overload]
            yield stream
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, mode, **text) as stream:  # type: ignore[call-overload]
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@contextmanager
def atomic_folder(path: str | os.PathLike, overwrite: bool = False) -> Iterator[Path]:
    """Fill a temporary folder beside ``path``; it takes the name ``path`` only if the block ends without an error.

    An existing non-empty ``path`` is an error unless ``overwrite``; even then it stays whole until the new one is. A
    file is never replaced by a folder.
    """
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise XalignError("the output folder is a file", where=path, expected="a new or empty folder")
    if path.exists() and not overwrite and any(path.iterdir()):
        raise XalignError(
            "the output folder exists already and was left as it is",
            where=path,
            expected="a new or empty folder",
            next="choose another folder, or pass --overwrite to replace this one",
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent))
    try:
        os.chmod(temporary, 0o755)
        yield temporary
        if path.exists():
            _exchange(temporary, path)
            shutil.rmtree(temporary)
        else:
            os.replace(temporary, path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _exchange(first: Path, second: Path) -> None:
    """Exchange the names of two folders; on Linux in one step, so that a kill leaves either the old or the new one."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    if rename is not None and rename(here, os.fsencode(first), here, os.fsencode(second), exchange) == 0:
        return
    old = Path(tempfile.mkdtemp(prefix=f".{second.name}.", suffix=".old", dir=second.parent))
    os.replace(second, old)
    os.replace(first, second)
    os.replace(old, first)


def read_json(path: str | os.PathLike) -> dict[str, Any]:
    """The object in a JSON file; :class:`XalignError` if it is missing, damaged or something else."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise XalignError("the file does not exist", where=path) from None
    except ValueError as error:
        raise XalignError("the file is not JSON, or it is damaged", where=path, found=error) from None
    if not isinstance(found, dict):
        raise XalignError("the file is not JSON of the expected form", where=path, expected="an object")
    return found


def write_json(path: str | os.PathLike, content: Mapping[str, Any]) -> None:
    """Write an object whole or not at all, for :func:`read_json` and for eyes."""
    with atomic_write(path) as stream:
        json.dump(content, stream, indent=1, ensure_ascii=False)
        stream.write("\n")


def decode_line(
    raw: bytes, path: str | os.PathLike, number: int, expected: str = "UTF-8 text", next: str | None = None
) -> str:
    """One line of a file as text; :class:`XalignError` with its place if it is not UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise XalignError(
            "the file is not UTF-8",
            where=f"{path}, line {number}",
            found=f"byte 0x{raw[error.start]:02x} at position {error.start} of the line",
            expected=expected,
            next=next,
        ) from None


def read_lines(path: str | os.PathLike) -> Iterator[str]:
    """Yield the lines of a UTF-8 file without their line end, one at a time, in constant memory.

    Raises:
        XalignError: the file is missing, or :func:`text_lines` finds fault with it.
    """
    path = Path(path)
    if not path.is_file():
        raise XalignError("the file does not exist", where=path, next="check the path and the language suffix")
    with open(path, "rb") as stream:
        yield from text_lines(stream, path)


def text_lines(stream: Iterable[bytes], path: str | os.PathLike) -> Iterator[str]:
    """Yield the lines of open UTF-8 text as :func:`read_lines` does; ``path`` names it in errors.

    A line ends at a newline and nowhere else: not at U+2028, U+0085 or a carriage return inside a line.

    Raises:
        XalignError: the text is empty, has CRLF line ends, or is not UTF-8 (file and line are named).
    """
    iconv = f"iconv -f LATIN1 -t UTF-8 {path} (if that is its encoding)"
    number = 0
    for number, raw in enumerate(stream, 1):
        line = decode_line(raw, path, number, "UTF-8 text, one sentence per line", iconv).removesuffix("\n")
        if line.endswith("\r"):
            raise XalignError(
                "the file has CRLF line ends",
                where=f"{path}, line {number}",
                found="\\r\\n",
                expected="\\n",
                next=f"sed 's/\\r$//' {path}",
            )
        yield line
    if number == 0:
        raise XalignError("the file is empty", where=path, expected="one sentence per line")


def file_sha256(path: Path) -> str:
    """sha256 of a file, in hexadecimal."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
