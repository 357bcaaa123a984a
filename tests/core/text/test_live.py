"""Lines of a stream as those of any file, and whether the next one is there."""

import io
import os

from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.core.text import live
from xalign_fairseq.core.text.live import LiveStream


@given(st.binary().map(lambda raw: raw.replace(b"\1", b"\n")), st.integers(1, 9), st.integers(1, 5))
def test_lines_are_those_of_any_stream(raw, most, block):
    stream, expected, before = LiveStream(io.BytesIO(raw)), io.BytesIO(raw), live.BLOCK
    live.BLOCK = block
    try:
        while line := expected.readline(most):
            assert stream.readline(most) == line
        assert stream.readline(most) == b"" and stream.ready()
    finally:
        live.BLOCK = before


def test_it_says_whether_a_read_would_wait():
    read, write = os.pipe()
    with os.fdopen(read, "rb") as file:
        stream = LiveStream(file)
        assert not stream.ready()
        os.write(write, b"a\nb\nc")
        assert stream.ready() and stream.readline(99) == b"a\n"
        assert stream.ready() and stream.readline(99) == b"b\n"
        assert not stream.ready()  # the rest of the line is missing
        os.close(write)
        assert stream.ready() and stream.readline(99) == b"c" and stream.readline(99) == b""
