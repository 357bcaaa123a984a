"""Text files as streams, compressed ones unpacked as they are read, never on the disk."""

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from xalign_fairseq.errors import XalignError

_OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
# What the three libraries raise for damaged files; gzip and bz2 also OSError, which a full or broken disk is too.
_DAMAGED = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)


def is_compressed(path: str | os.PathLike) -> bool:
    """Whether a file is compressed, by the end of its name: .gz, .bz2 or .xz."""
    return Path(path).suffix in _OPENERS


def existing(path: str) -> str:
    """The path, or where there is no such file that of its compressed form, if there is one.

    Example::

        existing("train.en")  # "train.en.gz"
    """
    if Path(path).is_file():
        return path
    return next((f"{path}{suffix}" for suffix in _OPENERS if Path(f"{path}{suffix}").is_file()), path)


@contextmanager
def open_text(path: str | os.PathLike) -> Iterator[IO[bytes]]:
    """The bytes of a text file, unpacked as they are read.

    Raises:
        XalignError: a compressed file is damaged or cut short, or is of a kind that is not read (.zst).

    Example::

        with open_text("train.en.xz") as stream:
            stream.read(100)
    """
    suffix = Path(path).suffix
    if suffix == ".zst":
        raise XalignError(
            "zstd is not read", where=path, expected=f"{', '.join(_OPENERS)} or plain text",
            next=f"zstd -dc {path} | xz > {Path(path).with_suffix('.xz')}",
        )  # fmt: skip
    if not is_compressed(path):
        with open(path, "rb") as stream:
            yield stream
        return
    try:
        with _OPENERS[suffix](path, "rb") as packed:
            yield io.BufferedReader(packed, 1 << 20)  # type: ignore[arg-type]
    except (*_DAMAGED, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise XalignError(
            "the compressed file is damaged", where=path, found=error, next="copy it again, or compress it again"
        ) from None
