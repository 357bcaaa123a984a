"""The languages of an example's texts, in the order in which the encoder reads them."""

import bz2
import gzip
import lzma

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.examples import PairExample, QuestionExample, TreeExample, WordsExample, read_rows


@pytest.mark.parametrize(
    ("example", "languages"),
    [
        (PairExample("1", "de", "a", "b", None), ("de", "de")),
        (PairExample("1", "de", "a", "b", None, second_language="en"), ("de", "en")),
        (WordsExample("1", "de", ("a",), None), ("de",)),
        (TreeExample("1", "de", ("a",), ("X",), None), ("de",)),
        (QuestionExample("1", "de", "q", "context", None), ("de", "de")),
        (QuestionExample("1", "de", "q", "context", None, question_language="en"), ("en", "de")),
    ],
)
def test_languages(example, languages):
    assert example.languages == languages
    assert example.language == "de"  # of the answers, the labels


def test_only_line_feeds_end_lines(write):
    text = "\ufeffa\u2028b\x0bc\r\n\n d\x85 \rx"
    for name in ("x.tsv", "x.tsv.gz"):
        assert list(read_rows(write(name, text))) == ["a\u2028b\x0bc", "", " d\x85 \rx"]


def test_the_content_says_whether_a_file_is_compressed(write, tmp_path):
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


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("keep", [slice(0, 12), slice(0, -9), slice(0, -4)])
def test_a_file_cut_short_is_an_error(write, pack, keep):
    whole = pack(bytes(range(97, 123)) * 999)
    with pytest.raises(XalignError, match="damaged"):
        list(read_rows(write("cut", whole[keep])))
