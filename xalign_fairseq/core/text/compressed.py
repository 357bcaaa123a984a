"""Text files as streams; compressed files are unpacked in memory while they are read."""

import bz2
import gzip
import importlib
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import COMPRESSED, StrPath
from xalign_fairseq.core.text import limits


class Joined(io.RawIOBase):
    """Pieces of bytes as one stream."""

    def __init__(self, pieces: Iterator[bytes]):
        self._pieces, self._rest = pieces, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        parts, size = [self._rest], len(self._rest)
        while size < len(view) and (piece := next(self._pieces, None)) is not None:
            parts.append(piece)
            size += len(piece)
        whole = b"".join(parts)
        taken = min(len(view), len(whole))
        view[:taken], self._rest = whole[:taken], whole[taken:]
        return taken


def _frames(path: StrPath, decompressor: Callable[[], Any]) -> Iterator[bytes]:
    """Unpack frame by frame: zstandard's stream accepts truncated files, and lzma's has no memory limit."""
    with open(path, "rb") as packed:
        frame = None
        while raw := packed.read(PACKED_BYTES):
            while raw := raw if frame else raw.lstrip(b"\0"):  # an xz stream may end with zeros
                frame = frame or decompressor()
                yield frame.decompress(raw)
                raw = frame.unused_data if frame.eof else b""
                frame = None if frame.eof else frame
        if frame is not None:
            raise EOFError("the file ends within a frame")


def _open_xz(path: StrPath, mode: str) -> Any:
    return Joined(_frames(path, lambda: lzma.LZMADecompressor(memlimit=limits.UNPACKING_BYTES)))


def _open_zstd(path: StrPath, mode: str) -> Any:
    """Use Python's module from 3.14 on, otherwise the library zstandard, if installed."""
    for name in ("compression.zstd", "zstandard"):
        try:
            library = importlib.import_module(name)
        except ImportError:
            continue
        if name == "zstandard":
            library = library.ZstdDecompressor(max_window_size=limits.UNPACKING_BYTES)
            return Joined(_frames(path, library.decompressobj))
        return library.open(path, mode)
    problem = "zstd is not read: neither Python's compression.zstd (3.14) nor the library zstandard is installed"
    remedy = f"pip install zstandard; or zstd -dc {path} | xz > {Path(path).with_suffix('.xz')}"
    raise XalignError(problem, where=path, remedy=remedy)


PACKED_BYTES = 1 << 10  # packed bytes to unpack at once, to 32 MB at most
_OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": _open_xz, ".zst": _open_zstd}
# The libraries' exceptions for damaged files; gzip and bz2 also raise OSError, as a full or broken disk does.
_DAMAGED = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)


def is_compressed(path: StrPath) -> bool:
    """Whether a file is compressed, by its suffix: .gz, .bz2, .xz or .zst."""
    return Path(path).suffix in COMPRESSED


def unpacked_name(path: StrPath) -> str:
    """The path without a compression suffix."""
    return os.fspath(path).removesuffix(Path(path).suffix if is_compressed(path) else "")


def existing(path: str) -> str:
    """The path, or the path of the compressed file if only that exists."""
    if Path(path).is_file():
        return path
    return next((f"{path}{suffix}" for suffix in _OPENERS if Path(f"{path}{suffix}").is_file()), path)


@contextmanager
def open_file(path: StrPath, packed: str | None = None) -> Iterator[IO[bytes]]:
    """The bytes of a file, unpacked while read; ``packed`` is one of ``COMPRESSED``, empty, or None: by file name."""
    opener = _OPENERS.get(Path(path).suffix if packed is None else packed)
    if opener is None:
        with open(path, "rb") as stream:
            yield stream
        return
    try:
        with opener(path, "rb") as raw:
            yield io.BufferedReader(raw, 1 << 20)
    except XalignError:
        raise
    except Exception as error:
        known = isinstance(error, _DAMAGED) or type(error).__name__ == "ZstdError"
        if not (known or (isinstance(error, OSError) and error.errno is None)):
            raise
        raise XalignError("the compressed file is damaged", where=path, found=error, remedy="copy it again") from None
