import json
from pathlib import Path

import pytest
from support.text import write

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.databin import DataBin, links_prefix, mono_prefix, pair_prefix, words_prefix
from xalign_fairseq.data.tokenizers.dictionary import Dictionary


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for split in ("train", "valid"):
        write(tmp_path / pair_prefix(split, "en", "de", "en"), [[4, 5, 2], [6, 2]])
        write(tmp_path / pair_prefix(split, "en", "de", "de"), [[7, 2], [8, 9, 2]])
    write(tmp_path / words_prefix("valid", "en", "de", "en"), [[0, 0], [0]])
    write(tmp_path / words_prefix("valid", "en", "de", "de"), [[0], [0, 1]])
    write(tmp_path / links_prefix("valid", "en", "de"), [[0, 0, 1], [0, 0, 1, 0, 1, 0]])
    write(tmp_path / mono_prefix("train", "fr"), [[4, 2]])
    Dictionary("abcdefghij").save(tmp_path / "dict.txt")
    (tmp_path / "preprocess.log").write_text("")
    return tmp_path


def test_contents_are_listed(folder):
    data = DataBin(folder)
    assert data.pairs == [("train", "en", "de"), ("valid", "en", "de")]
    assert data.monos == [("train", "fr")]
    assert data.splits == ["train", "valid"]
    assert data.languages("train") == ["fr"]
    assert data.links("train", "en", "de") is None
    assert data.manifest is None
    assert data.tokenizer_model is None
    assert len(data.dictionary) == 14


def test_files_of_fairseq_preprocess_with_one_language(tmp_path):
    write(tmp_path / "train.en-None.en", [[4, 2]])  # --only-source --source-lang en
    write(tmp_path / "train", [[5, 2]])  # --only-source
    write(tmp_path / "valid1", [[6, 2]])
    data = DataBin(tmp_path)
    assert data.pairs == []
    assert data.monos == [("train", ""), ("train", "en"), ("valid1", "")]
    assert data.mono("train", "en")[0].tolist() == [4, 2]
    assert data.mono("train", "")[0].tolist() == [5, 2]


def test_missing_text_files_and_folders_are_named(folder, tmp_path):
    with pytest.raises(XalignError, match=r"(?s)train fr.*expected: valid fr.*mono='fr=FILE'"):
        DataBin(folder).mono("valid", "fr")
    (folder / "train.en-de.de.idx").unlink()
    with pytest.raises(XalignError, match=r"train\.en-de\.de\.idx"):
        DataBin(folder).pair("train", "en", "de")
    with pytest.raises(XalignError, match="does not exist"):
        DataBin(tmp_path / "nowhere")


def test_sides_or_links_of_different_lengths_are_errors(folder):
    write(folder / links_prefix("valid", "en", "de"), [[0, 0, 1]])
    with pytest.raises(XalignError, match=r"valid\.en-de\.links: 1"):
        DataBin(folder).links("valid", "en", "de")
    write(folder / pair_prefix("valid", "en", "de", "de"), [[7, 2]])
    with pytest.raises(XalignError, match=r"valid\.en-de\.en: 2, valid\.en-de\.de: 1"):
        DataBin(folder).pair("valid", "en", "de")


def test_dictionaries_of_fairseq_preprocess_must_be_the_same(folder):
    (folder / "dict.txt").unlink()
    with pytest.raises(XalignError, match="has no dictionary"):
        _ = DataBin(folder).dictionary
    Dictionary("abc").save(folder / "dict.en.txt")
    Dictionary("abc", [3, 2, 1]).save(folder / "dict.de.txt")
    assert DataBin(folder).dictionary.symbols[4:] == ["a", "b", "c"]
    Dictionary("acb").save(folder / "dict.de.txt")
    with pytest.raises(XalignError, match=r"(?s)different dictionaries.*dict\.de\.txt.*joined_dictionary"):
        _ = DataBin(folder).dictionary


def test_manifest_and_model(folder):
    (folder / "manifest.json").write_text(json.dumps({"format": 1}))
    (folder / "sentencepiece.bpe.model").write_bytes(b"x")
    assert DataBin(folder).manifest == {"format": 1}
    assert DataBin(folder).tokenizer_model == b"x"
    (folder / "manifest.json").write_text("{")
    with pytest.raises(XalignError, match=r"manifest\.json"):
        _ = DataBin(folder).manifest
