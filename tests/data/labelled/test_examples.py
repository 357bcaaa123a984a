import bz2
import gzip
import lzma

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.examples import read_rows


def test_only_line_feeds_end_lines(write, caplog):
    text = "\ufeffa\u2028b\x0bc\r\n\n d\x85 \rx\n"
    for name in ("x.tsv", "x.tsv.gz"):
        assert list(read_rows(write(name, text))) == ["a\u2028b\x0bc", "", " d\x85 \rx"]
    assert not caplog.records  # XTREME's scripts write both line ends


def test_the_content_shows_whether_a_file_is_compressed(write, tmp_path):
    for pack, suffix in ((gzip.compress, ".gz"), (bz2.compress, ".bz2"), (lzma.compress, ".xz")):
        for name in ("packed.tsv", f"packed.tsv{suffix}"):
            (tmp_path / name).write_bytes(pack(b"a\nb\n"))
            assert list(read_rows(tmp_path / name)) == ["a", "b"]
    (tmp_path / "plain.gz").write_bytes(b"a\nb\n")
    assert list(read_rows(tmp_path / "plain.gz")) == ["a", "b"]


def test_files_that_cannot_be_read(write, tmp_path):
    with pytest.raises(XalignError, match="does not exist"):
        list(read_rows(tmp_path / "absent"))
    for name in ("empty", "empty.gz"):
        with pytest.raises(XalignError, match="empty"):
            list(read_rows(write(name, "")))
    with pytest.raises(XalignError, match=r"(?s)not UTF-8.*line 2\n.*0xe9 at position 1"):
        list(read_rows(write("latin", b"a\nb\xe9\n")))
