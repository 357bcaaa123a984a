"""Checks of a data-bin: ids, files, dictionary and tokenizer."""

import numpy
import pytest
from support.data_bins import only, symbols_of, train_model, write_data_bin
from support.text import write_plain_data

from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.data import diagnosis
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.mmap import MMapReader, MMapWriter
from xalign_fairseq.data.prepare.manifest import hashes
from xalign_fairseq.data.tokenizers.dictionary import Dictionary


@pytest.fixture(scope="module")
def model():
    return train_model()


@pytest.fixture
def data_bin(tmp_path, model):
    return write_data_bin(tmp_path / "data-bin", model)


def look(folder):
    return diagnosis.databin(DataBin(folder))


def test_an_id_beyond_the_dictionary(data_bin):
    size = len(DataBin(data_bin).dictionary)
    with MMapWriter(data_bin / "valid.en", numpy.uint16) as writer:
        writer.add([4, size, 5, 2])
    found = only(look(data_bin))
    assert f"id {size} in" in found
    assert f"has {size} symbols" in found
    with MMapWriter(data_bin / "valid.en", numpy.uint16) as writer:
        writer.add([4, size - 1, 5, 2])
    assert all(finding.level != "WRONG" for finding in look(data_bin))


def test_a_bad_id_after_the_first_chunk(data_bin, monkeypatch):
    monkeypatch.setattr(diagnosis, "CHUNK", 2)
    with MMapWriter(data_bin / "valid.en", numpy.uint16) as writer:
        writer.add([4, 5, 6, 7, 9999])
    assert "id 9999" in only(look(data_bin))


def write_links(folder, links, words=([0, 1], [0, 1, 1])):
    """Links of one pair of 2 and 3 tokens."""
    for lang, ids, numbers in zip(("en", "de"), ([4, 5, 2], [4, 5, 6, 2]), words, strict=True):
        for name, item in ((f"valid.en-de.{lang}", ids), (f"valid.en-de.{lang}.words", numbers)):
            with MMapWriter(folder / name, numpy.uint16) as writer:
                writer.add(item)
    with MMapWriter(folder / "valid.en-de.links", numpy.uint16) as writer:
        writer.add([number for link in links for number in link])
    [found] = [each for each in look(folder) if each.topic.endswith("valid en-de links")]
    return found


@pytest.mark.parametrize(
    ("links", "words", "text"),
    [
        ([(0, 0, 1), (1, 1, 0)], ([0, 1], [0, 1, 1]), None),
        ([(0, 0, 1), (2, 1, 0)], ([0, 1], [0, 1, 1]), None),  # a last word without a token
        ([(7, 0, 1), (1, 9, 0), (0, 0, 1)], ([0, 1], [0, 1, 1]), "2 of 3 links"),
        ([(0, 0, 2)], ([0, 1], [0, 1, 1]), "links of pair 0 are not"),
        ([(0, 0, 1)], ([0, 1, 1], [0, 1, 1]), "pair 0 are not"),
        ([(0, 0, 1)], ([1, 0], [0, 1, 1]), "pair 0 are not"),
    ],
)
def test_links_are_compared_with_their_sentences(data_bin, links, words, text):
    found = write_links(data_bin, links, words)
    assert (found.level, text or "2 links") == ("WRONG" if text else "ok", text or "2 links")
    assert (text or "2 links") in found.text


@pytest.mark.parametrize("counts", [None, "falling"])
def test_swapped_lines_of_the_dictionary(model, counts):
    pieces = symbols_of(model)
    if counts:  # as fairseq-preprocess sorts them: in another order than the pieces
        pieces = pieces[::-1]
    lines = [(piece, 1000 - i if counts else 1) for i, piece in enumerate(pieces)]
    assert diagnosis.tokenizer("here", model, Dictionary(*zip(*lines, strict=True))).level == "ok"
    lines[3], lines[9] = lines[9], lines[3]
    found = diagnosis.tokenizer("here", model, Dictionary(*zip(*lines, strict=True)))
    assert found.level == "WRONG" and "2 of the dictionary's lines" in found.text
    assert diagnosis.tokenizer("here", model, Dictionary(pieces[::-1])).level == "ok"  # someone may have made it so


def test_links_behind_the_first_rows_are_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(diagnosis, "ROWS", 7)
    folder = write_plain_data(tmp_path / "bin")
    [train, valid] = [each for each in look(folder) if each.topic.endswith("links")]
    assert (train.level, valid.level) == ("ok", "ok")
    reader = MMapReader(folder / "train.de-en.links")
    items = [reader[i] for i in range(len(reader))]
    items[40][2] = 3
    with MMapWriter(folder / "train.de-en.links", numpy.uint16) as writer:
        for item in items:
            writer.add(item)
    assert "pair 40 are not" in only(look(folder))


def test_files_are_compared_with_the_manifest(data_bin):
    def of_files():
        [found] = [each for each in look(data_bin) if each.topic == f"{data_bin} files"]
        return found

    assert of_files().level == "note"
    write_json(data_bin / "manifest.json", {"files": hashes(data_bin)})
    assert of_files().level == "ok" and "all 6 files" in of_files().text
    raw = bytearray((data_bin / "train.en-de.en.bin").read_bytes())
    raw[0] ^= 1  # still an id of the dictionary
    (data_bin / "train.en-de.en.bin").write_bytes(raw)
    assert of_files().level == "WRONG" and "train.en-de.en.bin has another content" in of_files().text


@pytest.mark.parametrize(
    ("symbols", "level", "text"),
    [
        (lambda pieces: pieces, "ok", "all in the dictionary"),
        (lambda pieces: [*pieces, "<mask>", "madeupword0000"], "ok", "all in the dictionary"),
        (lambda pieces: pieces[:-3], "note", "3 are not in the dictionary"),
        (lambda pieces: [piece.upper() for piece in pieces], "WRONG", "are not in the sentencepiece model"),
    ],
    ids=["same", "padded", "smaller", "foreign"],
)
def test_dictionary_against_tokenizer(model, symbols, level, text):
    finding = diagnosis.tokenizer("here", model, Dictionary(symbols(symbols_of(model))))
    assert finding.level == level
    assert text in finding.text


def test_a_folder_without_data(tmp_path):
    Dictionary(["a"]).save(tmp_path / "dict.txt")
    assert "no mmap data" in only(look(tmp_path))
