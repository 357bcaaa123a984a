import gzip
import io
import lzma
import os
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text import corpus, limits
from xalign_fairseq.core.text.compressed import open_file
from xalign_fairseq.core.text.corpus import scan
from xalign_fairseq.core.text.limits import LiveStream
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.data.labelled.examples import read_rows


@pytest.mark.parametrize("block", [4, 7, 100])
def test_lines_up_to_the_limit_are_read_and_the_first_longer_one_is_named(tmp_path, monkeypatch, block):
    monkeypatch.setattr(limits, "LINE_BYTES", 10)
    monkeypatch.setattr(corpus, "BLOCK_BYTES", block)
    for longest, last in ((9, "\n"), (10, "")):
        (tmp_path / "t").write_text(f"a\n{'b' * longest}{last}")
        assert scan(tmp_path / "t").read() == list(read_lines(tmp_path / "t")) == ["a", "b" * longest]
    for text in ("a\nbbb\n" + "c" * 10 + "\nd\n", "a\nbbb\n" + "c" * 11):
        (tmp_path / "t").write_text(text)
        for read in (scan, lambda path: list(read_lines(path)), lambda path: list(read_rows(path))):
            with pytest.raises(XalignError, match=r"more than 10 bytes\n  where: \S*t, line 3"):
                read(tmp_path / "t")


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_an_endless_line_takes_no_memory(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(corpus, "BLOCK_BYTES", 1 << 20)
    monkeypatch.setattr(limits, "LINE_BYTES", 1 << 20)
    pack = {".gz": gzip.compress, ".xz": lzma.compress}[suffix]
    (tmp_path / f"t{suffix}").write_bytes(pack(b"x" * (1 << 22)) * 64)
    for read in (scan, lambda path: list(read_lines(path))):
        tracemalloc.start()
        with pytest.raises(XalignError, match=r"1,048,576 bytes\n  where: \S*, line 1\n"):
            read(tmp_path / f"t{suffix}")
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
        tracemalloc.stop()


def test_xz_that_needs_more_memory_is_refused(tmp_path, monkeypatch):
    greedy = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 26}]
    (tmp_path / "t.xz").write_bytes(lzma.compress(b"hello\n", filters=greedy))
    assert list(read_lines(tmp_path / "t.xz")) == ["hello"]
    monkeypatch.setattr(limits, "UNPACKING_BYTES", 1 << 25)
    with pytest.raises(XalignError, match=r"where: \S*t.xz\n  found: Memory"):
        list(read_lines(tmp_path / "t.xz"))


@pytest.mark.parametrize("filled", [b"", bytes(4), bytes(1 << 12)])
def test_streams_of_xz_one_after_the_other_with_zeros_between(tmp_path, filled):
    one, two = lzma.compress(b"a\n"), lzma.compress(b"b\n")
    (tmp_path / "t.xz").write_bytes(one + filled + two + filled)
    with open_file(tmp_path / "t.xz") as stream:
        assert stream.read() == b"a\nb\n"
    (tmp_path / "t.xz").write_bytes(one + b"more")
    with pytest.raises(XalignError, match="damaged"), open_file(tmp_path / "t.xz") as stream:
        stream.read()


@given(st.binary().map(lambda raw: raw.replace(b"\1", b"\n")), st.integers(1, 9), st.integers(1, 5))
def test_lines_are_those_of_any_stream(raw, most, block):
    stream, expected, before = LiveStream(io.BytesIO(raw)), io.BytesIO(raw), limits.BLOCK
    limits.BLOCK = block
    try:
        while line := expected.readline(most):
            assert stream.readline(most) == line
        assert stream.readline(most) == b"" and stream.ready()
    finally:
        limits.BLOCK = before


def test_it_reports_whether_a_read_would_wait():
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
