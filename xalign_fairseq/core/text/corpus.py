"""Text files that are checked once, then read in chunks of lines by any process."""

import codecs
import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from pathlib import Path

import numpy as np

from xalign_fairseq.core.errors import Text, XalignError
from xalign_fairseq.core.files import StrPath, nearly
from xalign_fairseq.core.text import limits
from xalign_fairseq.core.text.containers import file_of, is_stream, open_text, skip
from xalign_fairseq.core.text.lines import different_lengths, no_regular_file, note_crlf, read_lines, text_lines
from xalign_fairseq.core.text.pairs import plain

CHUNK_LINES = 5000
BLOCK_BYTES = 1 << 24
NEWLINE = ord("\n")


@dataclass(frozen=True)
class TextFile:
    """A checked text file: its number of lines, and the byte offsets of every ``CHUNK_LINES``-th line and of the end.

    For streams, such as compressed files, offsets count in the stream, and parts hold their text.
    """

    path: str
    lines: int
    offsets: tuple[int, ...]
    first: int = 0
    held: bytes | None = None

    def parts(self) -> "Iterator[TextFile]":
        """The chunks, with the 0-based number of their ``first`` lines; of two files of equal length they match."""
        held: Iterator[bytes | None] = self._texts() if is_stream(self.path) else repeat(None)
        for chunk, (span, text) in enumerate(zip(pairwise(self.offsets), held, strict=False)):
            before = chunk * CHUNK_LINES
            lines = min(CHUNK_LINES, self.lines - before)
            yield TextFile(self.path, lines, span, self.first + before, text)

    def share(self, index: int, number: int) -> "TextFile":
        """One of ``number`` contiguous shares of whole chunks; empty if there are too few chunks."""
        chunks = len(self.offsets) - 1
        begin, end = (chunks * i // number for i in (index, index + 1))
        lines = min(end * CHUNK_LINES, self.lines) - min(begin * CHUNK_LINES, self.lines)
        return TextFile(self.path, lines, self.offsets[begin : end + 1], self.first + begin * CHUNK_LINES)

    def _texts(self) -> Iterator[bytes]:
        with open_text(self.path) as stream:
            skip(stream, self.offsets[0])
            for start, end in pairwise(self.offsets):
                yield stream.read(end - start)

    def read(self) -> list[str]:
        """All lines of the file or part, without line ends."""
        raw = self.held
        if raw is None:
            with open_text(self.path) as stream:
                skip(stream, self.offsets[0])
                raw = stream.read(self.offsets[-1] - self.offsets[0])
        lines = raw.removeprefix(b"" if self.first else codecs.BOM_UTF8).decode("utf-8").removesuffix("\n").split("\n")
        return [line.removesuffix("\r") for line in lines] if b"\r\n" in raw else lines


def scan(path: StrPath) -> TextFile:
    """Check that a file is UTF-8 text with LF or CRLF line ends and not empty, and find its chunks."""
    lines, position, last, crlf = 0, 0, NEWLINE, False
    offsets = [0]
    tail = b""
    next(plain(read_lines(path), path))  # it shows other formats, a table and an empty file
    with open_text(path) as stream:
        while block := stream.read(BLOCK_BYTES):
            ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == NEWLINE)
            sizes = np.diff(ends, prepend=-1 - len(tail), append=len(block) - 1)
            if sizes.max() > limits.LINE_BYTES:
                _find_fault(path)  # it names the line
            # The rest after the last line end is kept for the next block, because a block may end within a character.
            whole, newline, rest = block.rpartition(b"\n")
            if newline:
                crlf = _check_text(path, tail + whole + newline) or crlf
                tail = rest
            else:
                tail += rest
            first = -lines % CHUNK_LINES or CHUNK_LINES
            offsets += (position + 1 + ends[first - 1 :: CHUNK_LINES]).tolist()
            lines += len(ends)
            position += len(block)
            last = block[-1]
    _check_text(path, tail)
    if crlf:
        note_crlf(os.fspath(path))
    if b"\r" in tail:
        _find_fault(path)
    lines += last != NEWLINE
    if offsets[-1] != position:
        offsets.append(position)
    return TextFile(os.fspath(path), lines, tuple(offsets))


def require_files(paths: Sequence[StrPath], remedy: Text) -> None:
    """Raise :class:`XalignError` with all missing files, or the first folder, pipe or device."""
    missing = [os.fspath(path) for path in dict.fromkeys(paths) if not Path(file_of(os.fspath(path))).is_file()]
    for path in map(file_of, missing):
        if Path(path).exists():
            raise no_regular_file(path)
    if missing:
        found = nearly(missing[0]) if len(missing) == 1 else None
        raise XalignError("files do not exist", where=", ".join(missing), found=found, remedy=remedy)


def require_equal_lengths(first: TextFile, second: TextFile) -> None:
    """Raise :class:`XalignError` unless two sides, or a side and its links, have equally many lines."""
    if first.lines != second.lines:
        raise different_lengths(first.path, second.path, (first.lines, second.lines))


def _find_fault(path: StrPath) -> None:
    with open_text(path) as stream:
        deque(text_lines(stream, path), 0)


def _check_text(path: StrPath, raw: bytes) -> bool:
    """Whether lines end with CRLF."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        _find_fault(path)  # it names the line
    return b"\r\n" in raw
