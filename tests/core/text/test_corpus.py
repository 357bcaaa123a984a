import gzip
import os
from itertools import chain

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text import corpus
from xalign_fairseq.core.text.corpus import require_files, scan
from xalign_fairseq.core.text.lines import read_lines

LINES = st.lists(st.text(st.sampled_from("a λ中😀\u2028\u0085"), max_size=4), min_size=1, max_size=40)


@given(lines=LINES, end=st.booleans(), block=st.integers(1, 30), chunk=st.integers(1, 9))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_parts_hold_all_lines_in_order_for_any_block_size(tmp_path, lines, end, block, chunk):
    if not end and not lines[-1]:
        lines[-1] = "a"  # an empty last line exists only by its line end
    path = tmp_path / "text"
    path.write_bytes(("\n".join(lines) + ("\n" if end else "")).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "BLOCK_BYTES", block)
        patch.setattr(corpus, "CHUNK_LINES", chunk)
        file = scan(path)
        parts = list(file.parts())
    assert file.lines == len(lines)
    assert file.read() == lines
    assert [part.read() for part in parts] == [lines[i : i + chunk] for i in range(0, len(lines), chunk)]
    assert [part.first for part in parts] == list(range(0, len(lines), chunk))
    assert [part.lines for part in parts] == [len(part.read()) for part in parts]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "empty"),
        (b"a\nb\xff\nc\n", r"(?s)not UTF-8.*line 2.*0xff"),
        (b"a\n\xffb\nc\n", r"(?s)not UTF-8.*line 2.*0xff"),
        (b"a\nb\nc\xce", r"(?s)not UTF-8.*line 3"),
        (b"a\nb\r", r"(?s)carriage return without a newline.*line 2"),
        (b"a\rb\rc", r"(?s)carriage return without a newline.*line 1"),
        (b"t\0h\0e\0\n\0a\0\n\0", r"(?s)not UTF-8.*UTF-16"),
        (rb"{\rtf1\ansi" + b"\na\n", "RTF"),
        (b"<?xml version='1.0'?>\na\n", "not plain text"),
    ],
)
@pytest.mark.parametrize("block", [1, 2, 100])
def test_bad_text_is_an_error_that_names_the_line(tmp_path, monkeypatch, raw, message, block):
    monkeypatch.setattr(corpus, "BLOCK_BYTES", block)
    (tmp_path / "text").write_bytes(raw)
    with pytest.raises(XalignError, match=message):
        scan(tmp_path / "text")


@pytest.mark.parametrize("block", [1, 2, 3, 100])
@pytest.mark.parametrize("raw", [b"\xef\xbb\xbfa\r\nb\rb\r\n\r\nc", b"\xef\xbb\xbfa\nb\rb\n\r\nc\r\n"])
def test_line_ends_of_windows_and_byte_order_marks_are_not_text(tmp_path, monkeypatch, caplog, raw, block):
    monkeypatch.setattr(corpus, "BLOCK_BYTES", block)
    monkeypatch.setattr(corpus, "CHUNK_LINES", 2)
    (tmp_path / "text").write_bytes(raw)
    file = scan(tmp_path / "text")
    expected = ["a", "b\rb", "", "c"]
    assert file.read() == expected and file.lines == 4 and list(read_lines(tmp_path / "text")) == expected
    assert [line for part in file.parts() for line in part.read()] == expected
    assert caplog.text.count("lines that end with") == 1


@pytest.mark.parametrize("number", [1, 2, 3, 11])
def test_shares_of_a_file_are_contiguous_and_all_of_it(tmp_path, monkeypatch, number):
    monkeypatch.setattr(corpus, "CHUNK_LINES", 7)
    lines = [f"line {k}" for k in range(60)]
    (tmp_path / "t").write_text("\n".join(lines))
    (tmp_path / "t.gz").write_bytes(gzip.compress((tmp_path / "t").read_bytes()))
    for path in (tmp_path / "t", tmp_path / "t.gz"):
        shares = [scan(path).share(k, number) for k in range(number)]
        read = [[part.read() for part in share.parts()] for share in shares]
        assert [line for parts in read for part in parts for line in part] == lines
        assert [share.lines for share in shares] == [sum(map(len, parts)) for parts in read]
        assert [share.read() for share in shares if share.lines] == [list(chain(*parts)) for parts in read if parts]
        assert [part.first for share in shares for part in share.parts()] == list(range(0, 60, 7))
        assert max(map(len, read)) - min(map(len, read)) <= 1


def test_folders_and_pipes_are_not_reported_as_missing(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, found in ((tmp_path, "a folder"), (tmp_path / "pipe", "a pipe or device")):
        with pytest.raises(XalignError, match=rf"this is not a regular file[\s\S]*found: {found}"):
            require_files([tmp_path / "missing", path], remedy="look again")
