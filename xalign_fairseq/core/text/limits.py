"""Limits for reading text files, so that a small compressed file can't fill the memory."""

import os
from collections.abc import Iterator
from typing import IO

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.live import LiveStream

# Environment variables -> their limits by default, in bytes.
LINE, UNPACKING = "XALIGN_LINE_BYTES", "XALIGN_UNPACKING_BYTES"
DEFAULTS = {LINE: 1 << 24, UNPACKING: 1 << 28}


def limit(name: str) -> int:
    """A limit in bytes: the environment variable's, otherwise its default."""
    given = os.environ.get(name, "")
    if not given:
        return DEFAULTS[name]
    if not given.isdecimal() or not 0 < int(given) < 1 << 62:
        problem, expected = "a limit is not a number of bytes", f"such as {DEFAULTS[name]}"
        raise XalignError(problem, where=f"environment variable {name}", found=given, expected=expected)
    return int(given)


def lines_of(stream: IO[bytes] | LiveStream, where: object) -> Iterator[bytes]:
    """The lines of a stream, none longer than :data:`LINE`; :class:`XalignError` names the line that is."""
    most, number = limit(LINE), 0
    while raw := stream.readline(most + 1):
        number += 1
        if len(raw) > most:
            raise XalignError(
                "a line is too long",
                where=f"{where}, line {number}",
                found=f"more than {most:,} bytes",
                expected="text with a sentence a line",
                remedy=f"break the line, or set the environment variable {LINE} to more",
            )
        yield raw
