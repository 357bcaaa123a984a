import bz2
import gzip
import lzma
import sys

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text import compressed, corpus
from xalign_fairseq.core.text.compressed import open_file
from xalign_fairseq.core.text.corpus import scan

PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
TEXT = "".join(f"line {k} λ\n" for k in range(100)).encode()


@pytest.mark.parametrize("suffix", PACK)
def test_parts_of_a_compressed_file_are_those_of_the_plain_one(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(corpus, "CHUNK_LINES", 7)
    monkeypatch.setattr(corpus, "BLOCK_BYTES", 50)
    (tmp_path / "t").write_bytes(TEXT)
    half = TEXT.index(b"line 50")  # concatenated files are one file, as cat and pigz write them
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


def test_disk_errors_are_not_reported_as_damage(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setitem(compressed._OPENERS, ".gz", refuse)
    with pytest.raises(OSError, match="Input/output"), open_file(tmp_path / "t.gz"):
        pass


def test_zstd_without_a_library_is_an_error_with_a_remedy(tmp_path, monkeypatch):
    for name in ("compression", "compression.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "t.zst").write_bytes(b"x")
    with pytest.raises(XalignError, match=r"(?s)zstd is not read.*zstd -dc \S*t.zst"):
        scan(tmp_path / "t.zst")


def test_zstd_is_read_if_a_library_is_installed(tmp_path, monkeypatch):
    zstandard = pytest.importorskip("zstandard")
    monkeypatch.setattr(corpus, "CHUNK_LINES", 7)
    half, pack = TEXT.index(b"line 50"), zstandard.ZstdCompressor().compress
    (tmp_path / "t").write_bytes(TEXT)
    (tmp_path / "t.zst").write_bytes(pack(TEXT[:half]) + pack(TEXT[half:]))
    assert [(p.first, p.read()) for p in scan(tmp_path / "t.zst").parts()] == [
        (p.first, p.read()) for p in scan(tmp_path / "t").parts()
    ]
    whole = pack(TEXT)
    for damaged in (b"no such file", whole[: len(whole) // 2], whole + whole[:9], whole + b"x"):
        (tmp_path / "t.zst").write_bytes(damaged)
        with pytest.raises(XalignError, match=r"compressed file is damaged\n  where: \S*t.zst"):
            scan(tmp_path / "t.zst")
