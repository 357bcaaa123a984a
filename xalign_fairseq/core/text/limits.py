"""Limits for reading text, so that a small compressed file can't fill the memory."""

import select
from collections.abc import Iterator
from typing import IO

from xalign_fairseq.core.errors import XalignError

BLOCK = 1 << 16


class LiveStream:
    """The lines of a stream that may still be written to."""

    def __init__(self, stream: IO[bytes]):
        self._stream, self._read = stream, stream.read1  # type: ignore[attr-defined]
        self._rest = b""

    def readline(self, most: int) -> bytes:
        """The next line with its line end, or the first bytes of a long line; empty at the end of the stream."""
        while b"\n" not in self._rest and len(self._rest) < most and (block := self._read(BLOCK)):
            self._rest += block
        end = self._rest.find(b"\n") + 1 or len(self._rest)
        line, self._rest = self._rest[: min(end, most)], self._rest[min(end, most) :]
        return line

    def ready(self) -> bool:
        """Whether a read would return without waiting."""
        if b"\n" in self._rest:
            return True
        try:
            return bool(select.select([self._stream.fileno()], [], [], 0)[0])
        except (OSError, ValueError):  # not an operating-system file
            return True


LINE_BYTES = 1 << 24  # of a line of text
UNPACKING_BYTES = 1 << 28  # of memory for unpacking a file


def lines_of(stream: IO[bytes] | LiveStream, where: object) -> Iterator[bytes]:
    """The lines of a stream; :class:`XalignError` names a line longer than :data:`LINE_BYTES`."""
    number = 0
    while raw := stream.readline(LINE_BYTES + 1):
        number += 1
        if len(raw) > LINE_BYTES:
            problem, expected = f"a line has more than {LINE_BYTES:,} bytes", "one sentence per line"
            raise XalignError(problem, where=f"{where}, line {number}", expected=expected)
        yield raw
