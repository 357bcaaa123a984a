"""Lines and bytes of benchmark files, plain or compressed, as their authors publish them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.compressed import open_file
from xalign_fairseq.core.text.limits import lines_of
from xalign_fairseq.core.text.lines import PACKED, decode_line, packed_by


@contextmanager
def open_bytes(path: StrPath) -> Iterator[IO[bytes]]:
    """Open a file for reading; one that is compressed, whatever its name, is unpacked."""
    path = Path(path)
    if not path.is_file():
        raise XalignError("the file does not exist", where=path, remedy="check the path, the split and the language")
    with open(path, "rb") as raw:
        tool = packed_by(raw.read(16))
    with open_file(path, "" if tool is None else PACKED[tool][1]) as stream:
        yield stream


def read_rows(path: StrPath) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, one at a time, without their line end (LF or CRLF: XTREME's scripts write both).

    Only LF ends a line; Unicode's line separators, which real sentences contain, do not. A byte order mark at the start
    is dropped.
    """
    number = 0
    with open_bytes(path) as stream:
        for number, raw in enumerate(lines_of(stream, path), 1):
            line = decode_line(raw, path, number)
            yield (line.removeprefix("\ufeff") if number == 1 else line).removesuffix("\n").removesuffix("\r")
    if number == 0:
        raise XalignError("the file is empty", where=path)


def read_blocks(path: StrPath) -> Iterator[tuple[int, list[str]]]:
    """Yield the blocks between blank lines, with the number of their first lines."""
    block: list[str] = []
    for number, line in enumerate(read_rows(path), 1):
        if line.strip():
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []
    if block:
        yield number - len(block) + 1, block
