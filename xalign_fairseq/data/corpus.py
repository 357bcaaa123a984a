"""Text files: checked once, then read in chunks of lines by any process."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from xalign_fairseq.errors import XalignError
from xalign_fairseq.files import read_lines

CHUNK_LINES = 5000
BLOCK_BYTES = 1 << 24
NEWLINE = ord("\n")


@dataclass(frozen=True)
class TextFile:
    """A checked text file: its number of lines, and the byte offset of every ``CHUNK_LINES``-th line and of its end."""

    path: str
    lines: int
    offsets: tuple[int, ...]
    first: int = 0

    def parts(self) -> "Iterator[TextFile]":
        """The chunks, each a file of its own with the same path; ``first`` is the 0-based number of its first line.

        Part ``c`` of two files with as many lines holds the same lines.
        """
        for chunk, span in enumerate(pairwise(self.offsets)):
            first = chunk * CHUNK_LINES
            yield TextFile(self.path, min(CHUNK_LINES, self.lines - first), span, first)

    def read(self) -> list[str]:
        """All lines of the file or part, without their line ends."""
        with open(self.path, "rb") as stream:
            stream.seek(self.offsets[0])
            text = stream.read(self.offsets[-1] - self.offsets[0]).decode("utf-8")
        return text.removesuffix("\n").split("\n")


def scan(path: str | os.PathLike) -> TextFile:
    """Check that a file is UTF-8 with LF line ends and not empty, and find its chunks.

    Raises:
        XalignError: the file and the line that is not so.

    Example::

        scan("train.en").lines  # 100000
    """
    lines, position, last = 0, 0, NEWLINE
    offsets = [0]
    tail = b""
    with open(path, "rb") as stream:
        while block := stream.read(BLOCK_BYTES):
            # What follows the last line end waits for the next block: a block may end within a character.
            whole, newline, rest = block.rpartition(b"\n")
            if newline:
                _check_text(path, tail + whole + newline)
                tail = rest
            else:
                tail += rest
            ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == NEWLINE)
            first = -lines % CHUNK_LINES or CHUNK_LINES
            offsets += (position + 1 + ends[first - 1 :: CHUNK_LINES]).tolist()
            lines += len(ends)
            position += len(block)
            last = block[-1]
    _check_text(path, tail)
    if position == 0:
        next(read_lines(path), None)  # which says that the file is empty
    lines += last != NEWLINE
    if offsets[-1] != position:
        offsets.append(position)
    return TextFile(os.fspath(path), lines, tuple(offsets))


def require_files(paths: Sequence[str | os.PathLike], next: str) -> None:
    """Name all missing files at once."""
    missing = [os.fspath(path) for path in dict.fromkeys(paths) if not Path(path).is_file()]
    if missing:
        raise XalignError(
            "files do not exist" if len(missing) > 1 else "a file does not exist",
            where=", ".join(missing),
            next=next,
        )


def require_equal_lengths(first: TextFile, second: TextFile) -> None:
    """Two sides of a bitext, or a side and its links, must have as many lines."""
    if first.lines != second.lines:
        raise XalignError(
            "the files differ in their number of lines",
            where=f"{first.path}, {second.path}",
            found=f"{first.lines} and {second.lines} lines",
            expected="line i of one belongs to line i of the other",
            next="look for a line break inside a sentence, or for a lost line at the end",
        )


def _check_text(path: str | os.PathLike, raw: bytes) -> None:
    try:
        raw.decode("utf-8")
        bad = b"\r\n" in raw or raw.endswith(b"\r")
    except UnicodeDecodeError:
        bad = True
    if bad:
        for _ in read_lines(path):  # which names the line
            pass
