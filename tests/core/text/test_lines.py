import bz2
import gzip
import lzma

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.lines import read_lines


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (b"", "empty"),
        (b"a\nb\r", r"(?s)carriage return.* run tr '\\r' '\\n' < \S+/text > NEW\Z"),
        (b"ok\nna\xefve\n", "line 2"),
        (b"ok\n\xff", "0xff"),
        (b"PK\x03\x04\x14\n\xff", "Word"),
        (b"%PDF-1.7\n\xff", "PDF"),
        (b"{\\rtf1\\ansi red house}", "RTF"),
        ("ok\n".encode("UTF-16"), "next: save it again as UTF-8 in the editor, or run .* -f UTF-16 -t"),
        ("ok\n".encode("UTF-16LE"), "-f UTF-16LE -t"),
        ("ok\n".encode("UTF-16BE"), "-f UTF-16BE -t"),
    ],
)
def test_unfit_text_names_file_and_line(tmp_path, raw, what):
    (tmp_path / "text").write_bytes(raw)
    with pytest.raises(XalignError, match=what) as error:
        list(read_lines(tmp_path / "text"))
    assert "text" in str(error.value)


def test_one_byte_is_not_utf_16(tmp_path):
    (tmp_path / "text").write_bytes(b"\0")
    assert list(read_lines(tmp_path / "text")) == ["\0"]


@pytest.mark.parametrize("tool", [gzip, bz2, lzma])
def test_unnamed_compressed_text_is_reported(tmp_path, tool):
    (tmp_path / "text").write_bytes(tool.compress(b"one\ntwo\n"))
    with pytest.raises(XalignError, match="the file is compressed") as error:
        list(read_lines(tmp_path / "text"))
    assert f"-dc {tmp_path / 'text'}" in str(error.value)


def test_a_column_of_a_table_is_text(tmp_path):
    (tmp_path / "t.tsv.gz").write_bytes(gzip.compress(b"a\teins\nb\tzwei\n"))
    assert list(read_lines(f"{tmp_path}/t.tsv.gz#2")) == ["eins", "zwei"]
    for name, message in (("t.tsv#2", r"does not exist.*only similar names: .*t.tsv.gz"), ("c.csv#1", ".tsv.*.tmx")):
        (tmp_path / "c.csv").touch()
        with pytest.raises(XalignError, match=f"(?s){message}"):
            list(read_lines(f"{tmp_path}/{name}"))
