import pytest
from support.text import sentencepiece_model

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.data.tokenizers.tokenizer import dictionary_of_model, load_sentencepiece
from xalign_fairseq.encoder.vocabulary import check_dictionary, load_tokenizer, tokenizer_state


@pytest.fixture(scope="module")
def spm():
    """The bytes of a sentencepiece model."""
    return sentencepiece_model(["the red house", "a big cat", "der rote hund"] * 20, vocab_size=30)


@pytest.fixture(scope="module")
def dictionary(spm):
    return dictionary_of_model(load_sentencepiece(spm))


@pytest.fixture
def folder(spm, dictionary, tmp_path):
    """A data-bin with a dictionary and a sentencepiece model, and nothing else."""
    (tmp_path / "bin").mkdir()
    dictionary.save(tmp_path / "bin" / "dict.txt")
    (tmp_path / "bin" / "sentencepiece.model").write_bytes(spm)
    return tmp_path / "bin"


def ids(tokenizer):
    return tokenizer.encode("the red hund")


def expected(spm, dictionary):
    pieces = load_sentencepiece(spm).encode("the red hund", out_type=str)
    return [dictionary.index(piece) for piece in pieces]


def test_the_checkpoints_own_tokenizer(spm, dictionary):
    stored = {"task_state": {"tokenizer": tokenizer_state(dictionary, spm)}}
    assert ids(load_tokenizer(stored, len(dictionary) + 1)) == expected(spm, dictionary)


def test_the_data_bin_that_the_options_name(spm, dictionary, folder):
    state = {"cfg": {"task": {"data": f"{folder}-gone:{folder}"}}}
    assert ids(load_tokenizer(state, len(dictionary) + 1)) == expected(spm, dictionary)
    # prepared without a sentencepiece model: the checkpoint holds none
    state["task_state"] = {"tokenizer": tokenizer_state(dictionary, None)}
    assert ids(load_tokenizer(state, len(dictionary) + 1)) == expected(spm, dictionary)
    (folder / "sentencepiece.model").unlink()
    with pytest.raises(XalignError, match=r"no tokenizer[\s\S]*put its dict.txt and sentencepiece.model into"):
        load_tokenizer(state, len(dictionary) + 1)


def test_the_files_beside_the_checkpoint(spm, dictionary, folder):
    (folder / "sentencepiece.model").rename(folder / "sentencepiece.bpe.model")  # as in XLM-R's archive
    path = folder / "model.pt"
    path.touch()
    state = {"cfg": {"task": {"data": "/no/such/folder"}}}
    assert ids(load_tokenizer(state, len(dictionary) + 1, where=path)) == expected(spm, dictionary)


def test_a_folder_named_like_the_data_bin_does_not_hide_files_next_to_the_checkpoint(
    spm, dictionary, folder, tmp_path, monkeypatch
):
    """A dictionary of the same size in the current folder would silently give other links."""
    here, run = tmp_path / "here", tmp_path / "work/runs/first"
    for path in (here / "data-bin", run, tmp_path / "work/data-bin"):
        path.mkdir(parents=True)
    Dictionary(reversed(dictionary.symbols[4:])).save(here / "data-bin/dict.txt")
    (run / "checkpoint.pt").touch()
    for name in ("dict.txt", "sentencepiece.model"):
        (run / name).write_bytes((folder / name).read_bytes())
    monkeypatch.chdir(here)
    state = {"cfg": {"task": {"data": "data-bin"}}}
    for where in (run / "checkpoint.pt", "../work/runs/first/checkpoint.pt"):
        assert ids(load_tokenizer(state, len(dictionary) + 1, where=where)) == expected(spm, dictionary)
    for name in ("dict.txt", "sentencepiece.model"):  # the run was started in work/
        (run / name).rename(tmp_path / "work/data-bin" / name)
    found = load_tokenizer(state, len(dictionary) + 1, where=run / "checkpoint.pt")
    assert ids(found) == expected(spm, dictionary) and found.dictionary.symbols == dictionary.symbols
    (tmp_path / "work/data-bin").rename(tmp_path / "gone")
    (here / "data-bin/sentencepiece.model").write_bytes(spm)
    found = load_tokenizer(state, len(dictionary) + 1, where=run / "checkpoint.pt")  # the only one
    assert found.dictionary.symbols[4:] == dictionary.symbols[:3:-1]


def test_each_part_comes_from_the_first_place_that_has_it(spm, dictionary, folder, tmp_path):
    (tmp_path / "model.pt").touch()
    (folder / "sentencepiece.model").rename(tmp_path / "sentencepiece.model")
    found = load_tokenizer({"cfg": {"task": {"data": str(folder)}}}, len(dictionary) + 1, where=tmp_path / "model.pt")
    assert ids(found) == expected(spm, dictionary)


def test_a_dictionary_that_does_not_fit_the_checkpoint(folder, dictionary, spm):
    size, where = len(dictionary), folder / "model.pt"
    where.touch()
    for rows in (-1, 0, 2):
        with pytest.raises(XalignError, match=rf"does not fit the checkpoint[\s\S]*{size + 1} ids"):
            load_tokenizer({}, size + rows, where=where)
    with open(folder / "dict.txt", "a", encoding="utf-8") as stream:
        stream.write("<mask> 1\n")
    found = load_tokenizer({}, size + 1, where=where)
    assert ids(found) == expected(spm, dictionary) and found.dictionary.mask_index == size


def test_other_symbols_are_named_in_the_error(dictionary):
    stored = {"task_state": {"tokenizer": {"symbols": dictionary.symbols[::-1]}}}
    with pytest.raises(XalignError, match="but other symbols"):
        check_dictionary(dictionary, "data", stored, dictionary.embedding_size, "model.pt")


def test_an_invalid_sentencepiece_model(folder, dictionary):
    (folder / "model.pt").touch()
    (folder / "sentencepiece.model").write_text("hello")
    with pytest.raises(XalignError, match="not a sentencepiece model"):
        load_tokenizer({}, len(dictionary) + 1, where=folder / "model.pt")
