import pickle

import numpy as np
import pytest
from support.body_folders import byte_level_bpe

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.data.tokenizers.pipeline import PipelineTokenizer, TokenizerPipeline
from xalign_fairseq.data.tokenizers.tokenizer_model import find_model, make_tokenizer, read_model, write_model

SENTENCES = [
    ["The", "red", "house", "."], ["\"So", "big?\"", "(red)", "the"], ["schläft", "…", "Ünïcödé", "naïve", "𝒳☃"],
    ["红色的房子很大，", "猫"], ["cat's", "e\u0301", "é"], ["a"], [],
]  # fmt: skip


def metaspace():
    """A tokenizer like mmBERT's: BPE over ▁, with spaces and line breaks of a text as symbols."""
    import tokenizers
    from tokenizers import models, normalizers, pre_tokenizers, trainers

    made = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=False))
    made.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(" ", "▁")])
    made.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    text = [" ".join(words) for words in SENTENCES for _ in range(2)]
    specials = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "<s>"]
    trainer = trainers.BpeTrainer(
        vocab_size=150, special_tokens=specials, show_progress=False, initial_alphabet=["\n", "\t"]
    )
    made.train_from_iterator(text, trainer)
    return made


KINDS = {"byte-level": (byte_level_bpe, (1, 0, 2, 3, 4)), "metaspace": (metaspace, (2, 0, 1, 3, 4))}


@pytest.fixture(params=KINDS)
def tokenizer(request):
    make, special_ids = KINDS[request.param]
    made = make()
    pipeline = TokenizerPipeline(made.to_str(), special_ids, made.get_vocab_size())
    return PipelineTokenizer(pipeline.dictionary(), pipeline)


@pytest.mark.parametrize(
    ("pair", "separators"),
    [("[CLS] $A [SEP] $B:1 [SEP]:1", 1), ("[CLS] $A [SEP] [SEP] $B [SEP]", 2), ("$A $B", 1), (None, 1)],
)
def test_pairs_are_joined_as_the_library_joins_them(pair, separators):
    from tokenizers import processors

    made = byte_level_bpe()
    if pair:
        made.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair=pair, special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
        )
    pipeline = TokenizerPipeline(made.to_str(), KINDS["byte-level"][1], made.get_vocab_size())
    assert PipelineTokenizer(pipeline.dictionary(), pipeline).pair_separators == separators


def test_ids_are_the_librarys_in_our_order(tokenizer):
    library, order = tokenizer.pipeline.open(), tokenizer.pipeline.order
    for words in SENTENCES:
        line = " ".join(words)
        ids = tokenizer.encode(line)
        assert [order[i] for i in ids] == library.encode(line, add_special_tokens=False).ids
        assert tokenizer.encode_words(words)[0] == ids == tokenizer.encode_with_offsets(line)[0]


def test_words_are_restored_exactly_from_their_tokens(tokenizer):
    for words in SENTENCES:
        line = " ".join(words)
        _, index = tokenizer.encode_words(words)
        _, begin, end = tokenizer.encode_with_offsets(line)
        assert index == sorted(index) and set(index) == set(range(len(words)))
        for number, word in enumerate(words):
            mine = np.flatnonzero(np.array(index) == number)
            assert line[begin[mine[0]] : end[mine[-1]]] == word


def test_the_first_word_and_those_after_punctuation_have_their_own_tokens(tokenizer):
    ids, index = tokenizer.encode_words(["(the", "cat,", "the"])
    assert index[0] == 0 and index[-1] == 2 and 1 in index
    assert tokenizer.encode(" the")[-1:] == ids[-1:]


def test_the_dictionary_survives_its_file(tokenizer, tmp_path):
    dictionary = tokenizer.dictionary
    assert len(set(dictionary.symbols)) == len(dictionary)
    dictionary.save(tmp_path / "dict.txt")
    write_model(tmp_path, tokenizer.model)
    again = Dictionary.load(tmp_path / "dict.txt")
    assert again.symbols == dictionary.symbols
    path = find_model(tmp_path)
    assert read_model(path) == tokenizer.model
    words = SENTENCES[1]
    assert make_tokenizer(read_model(path), again).encode_words(words) == tokenizer.encode_words(words)


def test_one_symbol_may_stand_for_several():
    made = byte_level_bpe()
    pipeline = TokenizerPipeline(made.to_str(), (2, 0, 2, 3, 3), made.get_vocab_size())
    tokenizer = PipelineTokenizer(pipeline.dictionary(), pipeline)
    order = pipeline.order
    assert order[0] == order[2] == 2 and order[-1] == order[3] == 3
    assert sorted(set(order)) == list(range(pipeline.size))
    assert pickle.loads(pickle.dumps(tokenizer)).encode("the") == tokenizer.encode("the") != []


@pytest.mark.parametrize(("state", "message"), [
    ({}, "not a tokenizer"), ({"content": "{", "special_ids": [0] * 5, "size": 1, "more": 1}, "not a tokenizer"),
    ({"content": 1, "special_ids": [0] * 5, "size": 1}, "unexpected content"),
    *(({"content": "{}", "special_ids": ids, "size": 1}, "ids of special") for ids in ([0] * 4, [9] * 5)),
])  # fmt: skip
def test_a_damaged_state_is_refused(state, message):
    with pytest.raises(XalignError, match=message):
        TokenizerPipeline.from_state(state, "here")


def test_damaged_files_and_other_dictionaries_are_refused(tokenizer):
    with pytest.raises(XalignError, match="not a tokenizer file"):
        TokenizerPipeline("{}", (0, 0, 0, 0, 0), 1).open("here")
    with pytest.raises(XalignError, match="does not belong"):
        PipelineTokenizer(Dictionary(["a"]), tokenizer.pipeline)
