import gzip
import itertools
import lzma
import shutil
from pathlib import Path

import numpy as np
import pytest
from fairseq.options import get_preprocessing_parser
from fairseq_cli import preprocess

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text import corpus
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.mmap import MMapReader
from xalign_fairseq.data.prepare import binarize
from xalign_fairseq.data.prepare.prepare import prepare
from xalign_fairseq.data.prepare.sources import MonoSource, PairSource, PrepareOptions
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer, dictionary_of_model, load_sentencepiece
from xalign_fairseq.links.pharaoh import format_links


def pair(folder: Path, split: str = "train", links: Path | None = None) -> PairSource:
    path = str(links) if links is not None else None
    return PairSource(split, "en", "el", str(folder / f"{split}.en"), str(folder / f"{split}.el"), path)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def put(folder: Path, **texts: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(corpus, "CHUNK_LINES", 7)


@pytest.fixture
def linked(tmp_path: Path, bitext: Path) -> Path:
    """The bitext with random links for both splits."""
    rng = np.random.default_rng(1)
    for name in ("train", "valid"):
        for lang in ("en", "el"):
            shutil.copy(bitext / f"{name}.{lang}", tmp_path)
        sides = [(bitext / f"{name}.{lang}").read_text(encoding="utf-8").splitlines() for lang in ("en", "el")]
        rows = []
        for src, tgt in zip(*sides, strict=True):
            cells = itertools.product(range(len(src.split())), range(len(tgt.split())))
            drawn = {cell: rng.random() for cell in cells}
            rows.append(format_links((c for c in drawn if drawn[c] < 0.1), (c for c in drawn if drawn[c] < 0.2)))
        (tmp_path / f"{name}.gold").write_text("".join(f"{row}\n" for row in rows))
    return tmp_path


@pytest.mark.parametrize("symbols", [0, 70_000])
def test_files_equal_fairseq_preprocess(tmp_path, bitext, spm, symbols, small_chunks):
    """For uint16, and for a dictionary so large that fairseq uses uint32."""
    processor = load_sentencepiece(spm)
    pieces = dictionary_of_model(processor).symbols[4:]
    Dictionary([*(f"filler{i}" for i in range(symbols)), *pieces[:-3]]).save(tmp_path / "dict.txt")
    for name, lang in itertools.product(("train", "valid"), ("en", "el")):
        lines = (bitext / f"{name}.{lang}").read_text(encoding="utf-8").splitlines()
        encoded = "".join(" ".join(processor.encode(line, out_type=str)) + "\n" for line in lines)
        (tmp_path / f"{name}.{lang}").write_text(encoded, encoding="utf-8")
    options = f"-s en -t el --destdir {tmp_path}/theirs --dataset-impl mmap --trainpref {tmp_path}/train "
    options += f"--validpref {tmp_path}/valid --srcdict {tmp_path}/dict.txt --tgtdict {tmp_path}/dict.txt"
    preprocess.main(get_preprocessing_parser().parse_args(options.split()))
    ours, mono = tmp_path / "ours", [MonoSource("valid", "el", (str(bitext / "valid.el"),))]
    prepare(
        PrepareOptions(
            ours, [pair(bitext), pair(bitext, "valid")], mono, spm=spm, dictionary=tmp_path / "dict.txt", workers=1
        )
    )
    theirs = contents(tmp_path / "theirs")
    compared = [name for name in theirs if name.endswith((".bin", ".idx"))]
    assert len(compared) == 8
    for name in compared:
        assert (ours / name).read_bytes() == theirs[name], name
    assert (ours / "valid.el.bin").read_bytes() == theirs[
        "valid.en-el.el.bin"
    ]  # monolingual text is written in the same way
    assert MMapReader(ours / "train.en-el.en").dtype == (np.uint32 if symbols else np.uint16)
    assert (ours / "dict.txt").read_bytes() == theirs["dict.en.txt"]
    from_fairseq = DataBin(tmp_path / "theirs")
    assert from_fairseq.dictionary.digest == DataBin(ours).dictionary.digest
    assert from_fairseq.pairs == DataBin(ours).pairs


def test_output_does_not_depend_on_the_processes(tmp_path, linked, monkeypatch):
    # Workers are new processes with chunks of the default size; here this process has smaller chunks.
    monkeypatch.setattr(corpus, "CHUNK_LINES", 100)
    mono = MonoSource("train", "en", (str(linked / "valid.en"), str(linked / "train.en")))
    for workers in (1, 3):
        sources = [pair(linked, "train", linked / "train.gold"), pair(linked, "valid")]
        prepare(PrepareOptions(tmp_path / f"w{workers}", sources, [mono], vocab_size=120, workers=workers))
    assert contents(tmp_path / "w1") == contents(tmp_path / "w3")


def test_links_and_words_come_with_their_pairs(tmp_path, linked, spm, small_chunks):
    made = prepare(PrepareOptions(tmp_path / "d", [pair(linked, "valid", linked / "valid.gold")], spm=spm))
    links = DataBin(tmp_path / "d").links("valid", "en", "el")
    tokenizer = SentencePieceTokenizer(spm)
    sides = [(linked / f"valid.{lang}").read_text(encoding="utf-8").splitlines() for lang in ("en", "el")]
    golds = (linked / "valid.gold").read_text().splitlines()
    sure = 0
    for k, (src, tgt, gold) in enumerate(zip(*sides, golds, strict=True)):
        src_words, tgt_words, triples = links[k]
        assert src_words.tolist() == tokenizer.encode_words(src.split())[1]
        assert tgt_words.tolist() == tokenizer.encode_words(tgt.split())[1]
        assert format_links(*({(i, j) for i, j, mark in triples if mark == kind} for kind in (1, 0))) == gold
        sure += gold.count("-")
    assert made["pairs"][0]["links"]["sure"] == sure > 0


def test_links_of_fewer_lines_are_an_error(tmp_path, spm):
    put(tmp_path, t_en="a\nb\n", t_el="a\nb\n", t_gold="0-0\n")
    source = PairSource("train", "en", "el", *(str(tmp_path / f"t.{x}") for x in ("en", "el", "gold")))
    with pytest.raises(XalignError, match=r"(?s)numbers of lines.*found: 2 and 1 lines"):
        prepare(PrepareOptions(tmp_path / "d", [source], spm=spm))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.el", "t.en", "t.gold"]


def test_bad_text_is_an_error_before_any_file_is_written(tmp_path, spm, monkeypatch):
    put(tmp_path, train_en="a\nb\n", train_el="α\n")
    monkeypatch.setattr(binarize.PairText, "encode", lambda *_: pytest.fail("work began"))
    with pytest.raises(XalignError, match="2 and 1 lines"):
        prepare(PrepareOptions(tmp_path / "d", [pair(tmp_path)], spm=spm))
    (tmp_path / "train.el").write_bytes(b"\xff\nb\n")
    with pytest.raises(XalignError, match=r"(?s)train\.el, line 1.*0xff"):
        prepare(PrepareOptions(tmp_path / "d", [pair(tmp_path)], spm=spm))
    put(tmp_path, train_el="\nα\n", dict_txt="▁the 1\n")
    with pytest.raises(XalignError, match="does not belong"):
        prepare(PrepareOptions(tmp_path / "d", [pair(tmp_path)], spm=spm, dictionary=tmp_path / "dict.txt"))
    monkeypatch.undo()
    put(tmp_path, train_en="a\n\n")
    with pytest.raises(XalignError, match=r"(?s)no line of a text has tokens.*train en-el"):
        prepare(PrepareOptions(tmp_path / "d", [pair(tmp_path)], spm=spm))
    assert not (tmp_path / "d").exists()


def test_an_error_in_the_middle_keeps_the_old_data_bin(tmp_path, bitext, spm, monkeypatch, small_chunks):
    put(tmp_path / "d", **{"manifest.json": "old"})
    calls = itertools.count()
    encode = binarize.PairText.encode

    def fail(*args):
        if next(calls) == 5:
            raise OSError(28, "No space left on device")
        return encode(*args)

    monkeypatch.setattr(binarize.PairText, "encode", fail)
    with pytest.raises(XalignError, match=r"(?s)could not be written.*No space left"):
        prepare(PrepareOptions(tmp_path / "d", [pair(bitext)], spm=spm, overwrite=True))
    assert contents(tmp_path / "d") == {"manifest.json": b"old"}
    assert [path.name for path in tmp_path.iterdir()] == ["d"]


@pytest.mark.parametrize("workers", [1, 2])
def test_the_data_bin_of_compressed_text_is_that_of_the_plain_one(tmp_path, bitext, monkeypatch, workers):
    monkeypatch.setattr(corpus, "CHUNK_LINES", 100)
    for lang, suffix, pack in (("en", ".gz", gzip.compress), ("el", ".xz", lzma.compress)):
        (tmp_path / f"t.{lang}{suffix}").write_bytes(pack((bitext / f"train.{lang}").read_bytes()))
    for name, paths in (
        ("plain", [str(bitext / "train.en"), str(bitext / "train.el")]),
        ("packed", [str(tmp_path / "t.en.gz"), str(tmp_path / "t.el.xz")]),
    ):
        source = PairSource("train", "en", "el", *paths)
        prepare(PrepareOptions(tmp_path / name, [source], vocab_size=120, workers=workers))
    plain, packed = (DataBin(tmp_path / name).manifest for name in ("plain", "packed"))
    assert plain is not None and packed is not None
    assert plain["files"] == packed["files"]
