import json

import pytest
from support.body_folders import byte_level_bpe
from support.text import LINES, train_symbols

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.data.tokenizers.pipeline import TokenizerPipeline
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer
from xalign_fairseq.data.tokenizers.tokenizer_model import find_model, make_tokenizer, read_model, write_model
from xalign_fairseq.data.tokenizers.wordpiece import WordPieceTokenizer, from_vocabulary
from xalign_fairseq.encoder.vocabulary import load_tokenizer, require_same_tokenizer, stored_model, tokenizer_state


@pytest.fixture(scope="module")
def bert():
    """A dictionary and the settings of WordPiece."""
    return from_vocabulary(train_symbols(LINES), lowercase=False)


@pytest.fixture
def folder(bert, tmp_path):
    """A data-bin with only a dictionary and WordPiece's settings."""
    dictionary, settings = bert
    dictionary.save(tmp_path / "dict.txt")
    write_model(tmp_path, settings)
    return tmp_path


def test_a_data_bin_keeps_either_tokenizer(folder, bert, spm, tmp_path_factory):
    data = DataBin(folder)
    assert isinstance(data.tokenizer, WordPieceTokenizer) and data.tokenizer_model == bert[1]
    assert [data.tokenizer.encode(line) for line in LINES] == [WordPieceTokenizer(*bert).encode(line) for line in LINES]
    other, pieces = tmp_path_factory.mktemp("spm"), SentencePieceTokenizer(spm)
    pieces.dictionary.save(other / "dict.txt")
    write_model(other, pieces.model)
    assert DataBin(other).tokenizer.encode("ab cd") == pieces.encode("ab cd")
    assert (other / "sentencepiece.model").read_bytes() == spm.read_bytes() == DataBin(other).tokenizer_model


def test_a_checkpoint_keeps_either_tokenizer(bert, spm):
    dictionary, settings = bert
    state = tokenizer_state(dictionary, settings)
    assert stored_model(state) == settings and json.dumps(state["wordpiece"])  # plain values
    loaded = load_tokenizer({"task_state": {"tokenizer": state}}, dictionary.embedding_size)
    assert loaded.encode(LINES[0]) == WordPieceTokenizer(dictionary, settings).encode(LINES[0])
    pieces = SentencePieceTokenizer(spm)
    assert stored_model(tokenizer_state(pieces.dictionary, pieces.model)) == spm.read_bytes()
    assert stored_model(tokenizer_state(pieces.dictionary, None)) is None
    assert stored_model({}) is None


def test_the_settings_next_to_a_checkpoint_without_a_tokenizer(folder, bert):
    (folder / "model.pt").touch()
    assert load_tokenizer({}, bert[0].embedding_size, where=folder / "model.pt").model == bert[1]


def test_a_folder_without_a_tokenizer_and_one_with_two(folder):
    (folder / "sentencepiece.bpe.model").write_bytes(b"x")
    with pytest.raises(XalignError, match=r"two tokenizers[\s\S]*sentencepiece\.bpe\.model and wordpiece\.json"):
        _ = DataBin(folder).tokenizer
    for name in ("sentencepiece.bpe.model", "wordpiece.json"):
        (folder / name).unlink()
    assert find_model(folder) is None and DataBin(folder).tokenizer_model is None
    with pytest.raises(XalignError, match="no tokenizer"):
        _ = DataBin(folder).tokenizer


@pytest.mark.parametrize("text", ["{", "[]", '{"lowercase": true}'])
def test_damaged_settings_are_named(folder, text):
    (folder / "wordpiece.json").write_text(text)
    for read in (read_model, lambda path: make_tokenizer(path, Dictionary(["##a"]))):
        with pytest.raises(XalignError, match=r"wordpiece\.json"):
            read(folder / "wordpiece.json")


def test_text_normalised_in_another_way_is_refused(folder, bert):
    dictionary, settings = bert
    uncased = tokenizer_state(*from_vocabulary(train_symbols(LINES), lowercase=True))
    data = DataBin(folder)
    require_same_tokenizer(tokenizer_state(dictionary, settings), data)
    require_same_tokenizer({}, data)
    with pytest.raises(XalignError, match="normalised differently"):
        require_same_tokenizer({**uncased, "symbols": dictionary.symbols}, data)
    (folder / "wordpiece.json").unlink()  # data of fairseq-preprocess lack it
    require_same_tokenizer({**uncased, "symbols": dictionary.symbols}, data)


@pytest.mark.parametrize("kind", ["sentencepiece", "wordpiece", "pipeline"])
def test_half_a_character_is_named(bert, spm, kind):
    if kind == "pipeline":
        made = byte_level_bpe()
        model = TokenizerPipeline(made.to_str(), (1, 0, 2, 3, 4), made.get_vocab_size())
        tokenizer = make_tokenizer(model, model.dictionary())
    else:
        tokenizer = SentencePieceTokenizer(spm) if kind == "sentencepiece" else WordPieceTokenizer(*bert)
    for encode, given in (
        (tokenizer.encode_batch, ["ab", "the \ud83d"]),
        (tokenizer.encode_words_batch, [["ab"], ["the", "\ud83d"]]),
        (tokenizer.encode_with_offsets, "the \ude00"),
    ):
        with pytest.raises(XalignError, match=r"not valid Unicode\n  where: '.*.ud[\s\S]*found: '.ud"):
            encode(given)
