"""Tokenizers of folders: special symbols, extra rows, and sentencepiece models alone."""

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
    )  # as NLLB's language codes
    order = read_pipeline(tmp_path, write_tokenizer(tmp_path, made)).order
    assert order[0] == mark and order[2] == 2 and 1 in order[4:-1]


def test_missing_symbols_are_replaced_by_others(tmp_path, caplog):
    size = write_tokenizer(tmp_path)
    path = tmp_path / "tokenizer_config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps({key: each for key, each in config.items() if key not in ("mask_token", "cls_token")}))
    content = json.loads((tmp_path / "tokenizer.json").read_text())
    content["post_processor"] = None
    text = json.dumps(content).replace("[MASK]", "[M]").replace("[CLS]", "[C]")
    (tmp_path / "tokenizer.json").write_text(text)
    with caplog.at_level(logging.WARNING):
        order = read_pipeline(tmp_path, size).order
    assert order[0] == order[2] == 2 and order[-1] == order[3] == 3
    assert "there is no mask symbol" in caplog.text


def test_rows_beyond_the_tokenizer_are_left_out(tmp_path, caplog):
    size = write_tokenizer(tmp_path)
    with caplog.at_level(logging.WARNING):
        assert len(read_pipeline(tmp_path, size + 9).order) == size
    assert "9 rows of padding" in caplog.text
    for wrong in (size - 1, size + 5000):
        with pytest.raises(XalignError, match="does not fit"):
            read_pipeline(tmp_path, wrong)


@pytest.mark.parametrize(("name", "pieces", "roles"), [
    ("spiece.model", {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}, (1, 0, 1, 2, 2)),
    ("spm.model", {"pad_id": 0, "bos_id": 1, "eos_id": 2, "unk_id": 3, "pad_piece": "[PAD]", "bos_piece": "[CLS]",
                   "eos_piece": "[SEP]", "unk_piece": "[UNK]"}, (1, 0, 2, 3, 60)),
])  # fmt: skip
def test_a_sentencepiece_model_alone_is_enough(tmp_path, name, pieces, roles):
    (tmp_path / name).write_bytes(sentencepiece_model(TEXT * 5, vocab_size=60, **pieces))
    processor = sentencepiece.SentencePieceProcessor(str(tmp_path / name))
    size = processor.get_piece_size()
    roles = tuple(size if role == 60 else role for role in roles)
    vocabulary = read_pipeline(tmp_path, size + 3)
    assert (*vocabulary.order[:4], vocabulary.order[-1]) == roles
    tokenizer = opened(vocabulary)
    for line in TEXT:
        assert [vocabulary.order[i] for i in tokenizer.encode(line)] == processor.encode(line)


def test_a_folder_without_a_tokenizer_is_refused(tmp_path):
    with pytest.raises(XalignError, match="no tokenizer"):
        read_pipeline(tmp_path, 100)
