import pickle
import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.text import LINES, WORDPIECE_SPECIALS, train_symbols

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.lines import split_words
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.data.tokenizers.wordpiece import (
    WordPieceSettings,
    WordPieceTokenizer,
    bert_ids,
    from_vocabulary,
    to_vocabulary,
)

# Decomposed accents, zero-width characters, marks alone, joined emoji, no-break and ideographic spaces, soft hyphen,
# NUL, replacement character, control characters, ligatures, Chinese beyond the first plane, a word of 101 letters.
ODD = [
    "e\u0301te\u0301 étE\u0301", "a\u200bb \u200b \u200dc \ufeff", "👩\u200d👩\u200d👧 the 😀fox!! 🇩🇪",
    "the\u00a0fox\u3000quick", "quick\u00adbrown", "a\0b \ufffd c", "a\x1cb\x85c\x0bd\x7fe",
    "ﬁnal Ⅳ ½ ǅ İstanbul ẞ ς Σ", "中𠀀国a中 ㄅ あ", "", "  ", "\u0301", "x" * 100, "x" * 101, "a\u0328\u0301 ᾅ 각",
    "don't e-mail@x.org $5 #tag ##ing a_b", "\t the \r fox\u2028dogs\u2029",
]  # fmt: skip
KINDS = [{"lowercase": False}, {"lowercase": True}, {"lowercase": False, "strip_accents": True, "chinese_chars": False}]


@pytest.fixture(scope="module")
def symbols():
    return train_symbols([*LINES, *(line.lower() for line in LINES)])


@pytest.fixture(scope="module")
def tokenizer(symbols):
    return WordPieceTokenizer(*from_vocabulary(symbols, lowercase=False))


@pytest.fixture(scope="module")
def theirs(symbols, transformers, tmp_path_factory):
    """A function that encodes a line with transformers, in BERT's ids."""
    folder = tmp_path_factory.mktemp("bert")
    (folder / "vocab.txt").write_text("".join(f"{symbol}\n" for symbol in symbols), encoding="utf-8")

    def make(lowercase=False, strip_accents=None, chinese_chars=True):
        return transformers.BertTokenizerFast.from_pretrained(
            folder, do_lower_case=lowercase, strip_accents=strip_accents, tokenize_chinese_chars=chinese_chars
        )

    return make


def encode(made, line):
    return made(line, add_special_tokens=False)["input_ids"]


def in_berts_ids(tokenizer, ids):
    order = bert_ids(tokenizer.dictionary, tokenizer.settings)
    return [order[i] for i in ids]


@pytest.mark.parametrize("kind", KINDS)
def test_ids_are_those_of_transformers(symbols, theirs, kind):
    ours, made = WordPieceTokenizer(*from_vocabulary(symbols, **kind)), theirs(**kind)
    unknown = 0
    for line in [*LINES, *ODD, " ".join(ODD)]:
        ids = ours.encode(line)
        assert in_berts_ids(ours, ids) == encode(made, line), line
        unknown += ids.count(3)
    assert unknown > 0


def test_spaces_and_controls_are_those_of_transformers(tokenizer, theirs):
    made = theirs()
    chars = (chr(i) for i in range(sys.maxunicode + 1) if not 0xD800 <= i < 0xE000)
    odd = [char for char in chars if char.isspace() or unicodedata.category(char) in ("Cc", "Cf", "Zs", "Zl", "Zp")]
    assert len(odd) > 200
    for char in odd:
        line = f"the{char}fox {char} jump{char}"
        assert in_berts_ids(tokenizer, tokenizer.encode(line)) == encode(made, line), hex(ord(char))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from([*"abteho1.,#[]- \t", "é", "e\u0301", "中", "\u200b", "\0", "\x85", "ß", "ж", "😀"])))
def test_any_text(tokenizer, theirs_cased, chars):
    line = "".join(chars)
    ids = tokenizer.encode(line)
    assert in_berts_ids(tokenizer, ids) == encode(theirs_cased, line)
    with_offsets, begin, end = tokenizer.encode_with_offsets(line)
    assert with_offsets == ids
    assert len(begin) == len(end) == len(ids) and (begin < end).all() and (end <= len(line)).all()
    if "\x85" not in line:  # a space for split_words, but not for BERT
        assert tokenizer.encode_words(split_words(line))[0] == ids


@pytest.fixture(scope="module")
def theirs_cased(theirs):
    return theirs()


# By hand: the longest piece from the left, then the longest ## piece; if nothing fits, the whole word is unknown.
PIECES = ["[UNK]", "[MASK]", "un", "##aff", "##able", "##a", "##ble", "able", "!", "中", "a", "[PAD]", "[SEP]", "[CLS]"]


def test_offsets_are_of_the_original_characters():
    tokenizer = WordPieceTokenizer(*from_vocabulary(PIECES, lowercase=True))
    text = "UNa\u0301ffable\u200b! 中 Жx"
    ids, begin, end = tokenizer.encode_with_offsets(text)
    assert [tokenizer.dictionary.symbols[i] for i in ids] == ["un", "##aff", "##able", "!", "中", "<unk>"]
    assert [text[b:e] for b, e in zip(begin, end, strict=True)] == ["UN", "a\u0301ff", "able", "!", "中", "Жx"]
    ids, begin, end = tokenizer.encode_with_offsets(" \u200b")
    assert ids == [] and begin.shape == end.shape == (0,)


def test_the_vocabulary_and_back(symbols):
    assert symbols[:6] == WORDPIECE_SPECIALS
    dictionary, made = from_vocabulary(symbols, lowercase=True)
    assert made == WordPieceSettings(True, None, True, (3, 0, 4, 2, 5))
    assert dictionary.embedding_size == len(symbols) and dictionary.symbols[4:] == ["[unused1]", *symbols[6:]]
    assert to_vocabulary(dictionary, made) == symbols
    assert sorted(bert_ids(dictionary, made)) == list(range(len(symbols)))
    assert WordPieceSettings.from_state(made.to_state()) == made


@pytest.mark.parametrize(
    ("symbols", "message"),
    [
        ([*WORDPIECE_SPECIALS[:-1], "a"], r"not BERT's[\s\S]*\[MASK\] 0 times"),
        ([*WORDPIECE_SPECIALS, "[CLS]"], r"\[CLS\] 2 times"),
        ([*WORDPIECE_SPECIALS, "<unk>"], "invalid in fairseq's dictionary.*\n.*'<unk>'"),
        ([*WORDPIECE_SPECIALS, "<mask>"], "'<mask>'"),
        ([*WORDPIECE_SPECIALS, "a", "a"], "'a'"),
        ([*WORDPIECE_SPECIALS, "", "a"], "''"),
    ],
)
def test_vocabularies_that_are_not_berts(symbols, message):
    with pytest.raises(XalignError, match=message):
        from_vocabulary(symbols, lowercase=False)


@pytest.mark.parametrize(
    "state",
    [
        None,
        {},
        *({**WordPieceSettings().to_state(), **odd} for odd in ({"lowercase": 1}, {"more": True})),
        *({**WordPieceSettings().to_state(), "special_ids": [0, 1, 2, 3, *more]} for more in ([], [3], [-1])),
    ],
)
def test_settings_that_are_none(state):
    with pytest.raises(XalignError, match=r"not settings of WordPiece[\s\S]*here\.json"):
        WordPieceSettings.from_state(state, "here.json")


def test_a_dictionary_of_another_tokenizer(tokenizer):
    with pytest.raises(XalignError, match=r"not WordPiece's[\s\S]*no symbol begins with ##"):
        WordPieceTokenizer(Dictionary(["▁the", "▁fox"]), tokenizer.settings)
    with pytest.raises(XalignError, match="does not belong"):
        bert_ids(Dictionary(["##a"]), WordPieceSettings())


def test_batches_and_pickles(tokenizer):
    copy = pickle.loads(pickle.dumps(tokenizer))
    flat, sizes = copy.encode_batch([*LINES, *ODD])
    assert flat.tolist() == [i for line in [*LINES, *ODD] for i in tokenizer.encode(line)]
    assert sizes.tolist() == [len(tokenizer.encode(line)) for line in [*LINES, *ODD]]
    assert copy.encode_words([]) == ([], []) and copy.encode_batch([])[1].tolist() == []
    assert copy.settings == tokenizer.settings and (copy.missing_pieces, copy.pair_separators) == (0, 1)
