"""Checks of a data-bin: ids, files, dictionary and tokenizer."""

import numpy
import pytest
from support.data_bins import only, symbols_of, train_model, write_data_bin

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.data import diagnosis
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.mmap import MMapWriter
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


def test_a_truncated_file(data_bin):
    path = data_bin / "train.en-de.de.bin"
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(XalignError, match=r"truncated[\s\S]*8 bytes"):
        look(data_bin)


def test_files_are_compared_with_the_manifest(data_bin):
    def of_files():
        [found] = [each for each in look(data_bin) if each.topic == f"{data_bin} files"]
        return found

    assert of_files().level == "note"
    write_json(data_bin / "manifest.json", {"files": hashes(data_bin)})
    assert of_files().level == "ok" and "all 6 files" in of_files().text
    raw = bytearray((data_bin / "train.en-de.en.bin").read_bytes())
    raw[0] ^= 1  # an id that is still one of the dictionary's
    (data_bin / "train.en-de.en.bin").write_bytes(raw)
    assert of_files().level == "WRONG" and "train.en-de.en.bin has another content" in of_files().text


def test_a_folder_without_data(tmp_path):
    Dictionary(["a"]).save(tmp_path / "dict.txt")
    assert "no mmap data" in only(look(tmp_path))


@pytest.mark.parametrize(
    ("symbols", "level", "text"),
    [
        (lambda pieces: pieces, "ok", "all in the dictionary"),
        (lambda pieces: [*pieces, "<mask>", "madeupword0000"], "ok", "all in the dictionary"),
        (lambda pieces: pieces[:-3], "note", "3 are not in the dictionary"),
        (lambda pieces: [piece.upper() for piece in pieces], "WRONG", "are no pieces"),
    ],
    ids=["same", "padded", "smaller", "foreign"],
)
def test_dictionary_against_tokenizer(model, symbols, level, text):
    finding = diagnosis.tokenizer("here", model, Dictionary(symbols(symbols_of(model))))
    assert finding.level == level
    assert text in finding.text


def test_what_is_no_tokenizer(model):
    assert diagnosis.tokenizer("here", b"not a model", Dictionary(["a"])).level == "WRONG"
    assert diagnosis.tokenizer("here", None, Dictionary(["a"])).level == "note"
