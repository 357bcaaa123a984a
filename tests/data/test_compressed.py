"""Compressed text: read as what was packed, by any process, and damage is told."""

import bz2
import gzip
import lzma

import pytest

from xalign_fairseq.data import compressed, corpus
from xalign_fairseq.data.compressed import existing, open_text
from xalign_fairseq.data.corpus import scan
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.prepare import prepare
from xalign_fairseq.data.sources import PairSource, PrepareOptions
from xalign_fairseq.errors import XalignError

PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
TEXT = "".join(f"line {k} λ\n" for k in range(100)).encode()


@pytest.mark.parametrize("suffix", PACK)
def test_parts_of_a_compressed_file_are_those_of_the_plain_one(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(corpus, "CHUNK_LINES", 7)
    monkeypatch.setattr(corpus, "BLOCK_BYTES", 50)
    (tmp_path / "t").write_bytes(TEXT)
    half = TEXT.index(b"line 50")  # two files one after the other are one, as cat and pigz write them
    (tmp_path / f"t{suffix}").write_bytes(PACK[suffix](TEXT[:half]) + PACK[suffix](TEXT[half:]))
    plain, packed = scan(tmp_path / "t"), scan(tmp_path / f"t{suffix}")
    assert (packed.lines, packed.offsets) == (plain.lines, plain.offsets)
    assert packed.read() == plain.read()
    assert [(part.first, part.read()) for part in packed.parts()] == [(p.first, p.read()) for p in plain.parts()]


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("damage", [lambda raw: raw[: len(raw) // 2], lambda raw: b"no such file" + raw])
def test_damage_is_an_error_that_names_the_file(tmp_path, suffix, damage):
    path = tmp_path / f"t{suffix}"
    path.write_bytes(damage(PACK[suffix](TEXT)))
    with pytest.raises(XalignError, match=rf"compressed file is damaged\n  where: \S*t{suffix}"):
        scan(path)


def test_lines_that_are_not_utf8_are_named_in_compressed_text_too(tmp_path):
    (tmp_path / "t.gz").write_bytes(gzip.compress(b"a\nb\xff\n"))
    with pytest.raises(XalignError, match=r"(?s)not UTF-8.*t.gz, line 2"):
        scan(tmp_path / "t.gz")


def test_what_the_disk_refuses_is_no_damage(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setitem(compressed._OPENERS, ".gz", refuse)
    with pytest.raises(OSError, match="Input/output"), open_text(tmp_path / "t.gz"):
        pass


def test_zstd_is_an_error_that_says_what_to_do(tmp_path):
    (tmp_path / "t.zst").write_bytes(b"x")
    with pytest.raises(XalignError, match=r"(?s)zstd is not read.*zstd -dc \S*t.zst"):
        scan(tmp_path / "t.zst")


def test_the_plain_file_comes_before_a_compressed_one(tmp_path):
    path = str(tmp_path / "t.en")
    assert existing(path) == path  # whose absence is then told by this name
    (tmp_path / "t.en.xz").write_bytes(lzma.compress(TEXT))
    assert existing(path) == f"{path}.xz"
    (tmp_path / "t.en").write_bytes(TEXT)
    assert existing(path) == path


@pytest.mark.parametrize("workers", [1, 2])
def test_the_data_bin_of_compressed_text_is_that_of_the_plain_one(tmp_path, bitext, monkeypatch, workers):
    monkeypatch.setattr(corpus, "CHUNK_LINES", 100)
    for lang, suffix in (("en", ".gz"), ("el", ".xz")):
        (tmp_path / f"t.{lang}{suffix}").write_bytes(PACK[suffix]((bitext / f"train.{lang}").read_bytes()))
    for name, paths in (
        ("plain", [str(bitext / "train.en"), str(bitext / "train.el")]),
        ("packed", [str(tmp_path / "t.en.gz"), str(tmp_path / "t.el.xz")]),
    ):
        source = PairSource("train", "en", "el", *paths)
        prepare(PrepareOptions(tmp_path / name, [source], vocab_size=120, workers=workers))
    plain, packed = (DataBin(tmp_path / name).manifest for name in ("plain", "packed"))
    assert plain is not None and packed is not None
    assert plain["files"] == packed["files"]
