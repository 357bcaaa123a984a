"""Lines and bytes of benchmark files, plain or gzipped, as their authors publish them."""

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from xalign_fairseq.errors import XalignError
from xalign_fairseq.text.lines import decode_line

_GZIP = b"\x1f\x8b"


@contextmanager
def open_bytes(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """Open a file for reading; one that is gzipped, whatever its name, is decompressed.

    Raises:
        XalignError: the file is missing, or its compressed data are damaged or cut short.
    """
    path = Path(path)
    if not path.is_file():
        raise XalignError("the file does not exist", where=path, next="check the path, the split and the language")
    with open(path, "rb") as raw:
        zipped = raw.read(2) == _GZIP
        raw.seek(0)
        try:
            yield io.BufferedReader(gzip.GzipFile(fileobj=raw)) if zipped else raw
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise XalignError(
                "the compressed file is damaged", where=path, found=str(error), next=f"gzip -t {path}; fetch it again"
            ) from None


def read_rows(path: str | os.PathLike) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, one at a time, without their line end (LF or CRLF: XTREME's scripts write both).

    Only LF ends a line, so that the separators of Unicode, which real sentences hold, don't. A byte order mark at the
    start is dropped.

    Raises:
        XalignError: the file is missing, empty, damaged or not UTF-8 (file and line are named).

    Example::

        for number, line in enumerate(read_rows("test-de.tsv.gz"), 1):
            ...
    """
    number = 0
    with open_bytes(path) as stream:
        for number, raw in enumerate(stream, 1):
            line = decode_line(raw, path, number)
            yield (line.removeprefix("\ufeff") if number == 1 else line).removesuffix("\n").removesuffix("\r")
    if number == 0:
        raise XalignError("the file is empty", where=path)
