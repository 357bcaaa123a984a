"""Lines of a pipe or a terminal, and whether the next line is already there."""

import select
from typing import IO

BLOCK = 1 << 16


class LiveStream:
    """The lines of a stream that someone may still be writing.

    Example::

        stream = LiveStream(sys.stdin.buffer)
        while line := stream.readline(1 << 20):
            ...
            if not stream.ready():  # the next line is still to be written
                sys.stdout.flush()
    """

    def __init__(self, stream: IO[bytes]):
        self._stream, self._read = stream, stream.read1  # type: ignore[attr-defined]
        self._rest = b""

    def readline(self, most: int) -> bytes:
        """The next line with its end, or its first bytes; empty at the end of the stream."""
        while b"\n" not in self._rest and len(self._rest) < most and (block := self._read(BLOCK)):
            self._rest += block
        end = self._rest.find(b"\n") + 1 or len(self._rest)
        line, self._rest = self._rest[: min(end, most)], self._rest[min(end, most) :]
        return line

    def ready(self) -> bool:
        """Whether the next line, its beginning or the end can be read at once."""
        if b"\n" in self._rest:
            return True
        try:
            return bool(select.select([self._stream.fileno()], [], [], 0)[0])
        except (OSError, ValueError):  # not a file of the system
            return True
