import json

import pytest
import sentencepiece
import tokenizers
from support.huggingface_folders import BERT_SYMBOLS

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer
from xalign_fairseq.data.tokenizers.wordpiece import WordPieceTokenizer, from_vocabulary
from xalign_fairseq.encoder.pretrained.huggingface.tokenizer_files import tokenizer_files
from xalign_fairseq.encoder.pretrained.huggingface.vocabularies import dictionary_of_xlm_r

NAMES = {"XLM-R": "sentencepiece.bpe.model", "BERT": "vocab.txt"}


def of_pieces(path):
    processor = sentencepiece.SentencePieceProcessor(str(path))
    return dictionary_of_xlm_r([processor.id_to_piece(i) for i in range(processor.get_piece_size())], path)


def sentencepiece_tokenizer(path, dictionary=None):
    return SentencePieceTokenizer(path.read_bytes(), dictionary or of_pieces(path))


def wordpiece_tokenizer(**options):
    dictionary, settings = from_vocabulary(BERT_SYMBOLS, where="here", **options)
    return WordPieceTokenizer(dictionary, settings)


@pytest.fixture(params=["XLM-R", "BERT", "uncased BERT without accents"])
def tokenizer(request, spm):
    if request.param == "XLM-R":
        return sentencepiece_tokenizer(spm)
    plain = request.param == "BERT"
    return wordpiece_tokenizer(lowercase=not plain, strip_accents=None if plain else True, chinese_chars=plain)


def test_special_symbols_have_their_roles(tokenizer):
    files = tokenizer_files(tokenizer, 20, "here")
    config = json.loads(files.contents["tokenizer_config.json"])
    theirs = tokenizers.Tokenizer.from_str(files.contents["tokenizer.json"].decode())
    for role, index in {"pad": 1, "unk": 3, "cls": 0, "sep": 2, "mask": tokenizer.dictionary.mask_index}.items():
        symbol = config[f"{role}_token"]
        if isinstance(symbol, dict):
            assert role == "mask" and symbol["lstrip"]  # XLM-R's takes the space before it
            symbol = symbol["content"]
        assert theirs.token_to_id(symbol) == files.order[index], role
    takes_space = [each.content for each in theirs.get_added_tokens_decoder().values() if each.lstrip]
    assert takes_space == ["<mask>"] * (files.family.title == "XLM-R")
    assert config["model_max_length"] == 20
    assert files.special_ids["pad_token_id"] == files.order[1]
    assert files.contents.keys() == {"tokenizer.json", "tokenizer_config.json", NAMES[files.family.title]}


def test_all_settings_of_wordpiece_are_carried():
    files = tokenizer_files(wordpiece_tokenizer(lowercase=True, strip_accents=False, chinese_chars=False), 20, "here")
    config = json.loads(files.contents["tokenizer_config.json"])
    assert (config["do_lower_case"], config["strip_accents"], config["tokenize_chinese_chars"]) == (True, False, False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model_type": "bpe"}, "a bpe model"),
        ({"user_defined_symbols": ["house"]}, r"user-defined, unused or byte pieces, such as \['house'\]"),
        ({"add_dummy_prefix": False}, "does not put ▁ before every word"),
        ({"treat_whitespace_as_suffix": True}, "does not put ▁ before every word"),
    ],
)
def test_tokenizers_that_xlm_rs_can_not_express(train_spm, tmp_path, options, message):
    tokenizer = sentencepiece_tokenizer(train_spm(tmp_path / "other", **options))
    with pytest.raises(XalignError, match=rf"would give other ids[\s\S]*where: here\n[\s\S]*{message}"):
        tokenizer_files(tokenizer, 20, "here")


def test_a_dictionary_in_another_order_and_one_that_lists_the_mask_itself(spm):
    symbols = of_pieces(spm).symbols[4:]
    with pytest.raises(XalignError, match=r"would give other ids[\s\S]*in another order"):
        tokenizer_files(sentencepiece_tokenizer(spm, Dictionary(symbols[::-1])), 20, "here")
    listed = sentencepiece_tokenizer(spm, Dictionary([*symbols, "<mask>"]))
    plain = sentencepiece_tokenizer(spm)
    assert tokenizer_files(listed, 20, "here") == tokenizer_files(plain, 20, "here")
