import json
import logging

import pytest
import sentencepiece
from support.body_folders import SPECIALS, TEXT, byte_level_bpe, write_tokenizer
from support.text import sentencepiece_model

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.data.tokenizers.tokenizer_model import make_tokenizer
from xalign_fairseq.encoder.pretrained.huggingface.pipelines import read_pipeline
from xalign_fairseq.encoder.vocabulary import stored_model


def opened(vocabulary):
    """The tokenizer of a vocabulary as checkpoints keep it."""
    return make_tokenizer(stored_model(vocabulary.state), Dictionary(vocabulary.state["symbols"][len(Dictionary()) :]))


def test_special_symbols_come_from_the_tokenizer(tmp_path):
    size = write_tokenizer(tmp_path)
    vocabulary = read_pipeline(tmp_path, size)
    names = [SPECIALS[i] for i in (*vocabulary.order[:4], vocabulary.order[-1])]
    assert names == ["[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]"]
    assert sorted(vocabulary.order) == list(range(size))
    assert opened(vocabulary).encode("The red house")


def test_symbols_around_a_text_take_precedence_over_names(tmp_path):
    from tokenizers import processors

    made = byte_level_bpe()
    mark = made.token_to_id("Ġ")
    made.post_processor = processors.TemplateProcessing(
        single="Ġ $A [SEP]", pair="Ġ $A $B [SEP]", special_tokens=[("Ġ", mark), ("[SEP]", 2)]
    )
    order = read_pipeline(tmp_path, write_tokenizer(tmp_path, made)).order
    assert order[0] == mark and order[2] == 2 and 1 in order[4:-1]


@pytest.fixture
def without(tmp_path):
    """A function that writes a tokenizer without some special symbols and their settings; returns its size."""

    def write(*settings):
        size = write_tokenizer(tmp_path)
        path = tmp_path / "tokenizer_config.json"
        config = json.loads(path.read_text())
        path.write_text(json.dumps({key: each for key, each in config.items() if key not in settings}))
        content = json.loads((tmp_path / "tokenizer.json").read_text())
        content["post_processor"] = None
        text = json.dumps(content)
        for setting in settings:
            text = text.replace(config[setting], "[X]")
        (tmp_path / "tokenizer.json").write_text(text)
        return size

    return write


def test_a_missing_symbol_is_replaced_by_another(without, tmp_path):
    order = read_pipeline(tmp_path, without("cls_token")).order
    assert order[0] == order[2] == 2


def test_a_missing_mask_or_tokenizer_is_an_error(without, tmp_path):
    with pytest.raises(XalignError, match="no tokenizer"):
        read_pipeline(tmp_path, 100)
    with pytest.raises(XalignError, match="lacks a special symbol"):
        read_pipeline(tmp_path, without("mask_token"))


def test_rows_beyond_the_tokenizer_are_left_out(tmp_path, caplog):
    size = write_tokenizer(tmp_path)
    with caplog.at_level(logging.WARNING):
        assert len(read_pipeline(tmp_path, size + 9).order) == size
    assert "9 rows of padding" in caplog.text
    for wrong in (size - 1, size + 5000):
        with pytest.raises(XalignError, match="does not fit"):
            read_pipeline(tmp_path, wrong)


def test_a_sentencepiece_model_alone_is_enough(tmp_path):
    names = {"pad_piece": "[PAD]", "bos_piece": "[CLS]", "eos_piece": "[SEP]", "unk_piece": "[UNK]"}
    ids = {"pad_id": 0, "bos_id": 1, "eos_id": 2, "unk_id": 3}
    (tmp_path / "spm.model").write_bytes(sentencepiece_model(TEXT * 5, vocab_size=60, **ids, **names))
    processor = sentencepiece.SentencePieceProcessor(str(tmp_path / "spm.model"))
    size = processor.get_piece_size()
    vocabulary = read_pipeline(tmp_path, size + 3)
    assert (*vocabulary.order[:4], vocabulary.order[-1]) == (1, 0, 2, 3, size)
    tokenizer = opened(vocabulary)
    for line in TEXT:
        assert [vocabulary.order[i] for i in tokenizer.encode(line)] == processor.encode(line)
