import pytest
from support.text import sentencepiece_model

from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer
from xalign_fairseq.data.tokenizers.unknown import (
    LOOKED_AT,
    SYMBOLS,
    UnknownTokens,
    count_unknown,
    script_of,
    unknown_of_texts,
)
from xalign_fairseq.data.tokenizers.wordpiece import WordPieceTokenizer, from_vocabulary

LINES = ["a cat", "แมว cat กิน", "a cat 😀", "", "the кот и cat", "แมว"]


@pytest.fixture(scope="module")
def latin():
    lines = ["a cat and the dog bite", "the hat of a cat"] * 20
    return SentencePieceTokenizer(sentencepiece_model(lines, vocab_size=30))


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("กิน", "Thai"), ("猫", "Han"), ("cat", "Latin"), ("Кот", "Cyrillic"), ("かな", "Hiragana"), ("한국", "Hangul"),
        ("ខ្មែរ", "Khmer"), ("ཁང", "Tibetan"), ("ᥖᥭᥰ", "Tai Le"), ("𐌀", "Old Italic"), ("አማ", "Ethiopic"),
        ("¿Кот", "Cyrillic"), ("😀", SYMBOLS), ("12", SYMBOLS), ("", SYMBOLS), ("\ue000", SYMBOLS),
    ],
)  # fmt: skip
def test_scripts_by_unicodes_names(text, script):
    assert script_of(text) == script


def test_every_unknown_token_is_counted(latin):
    symbols = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "the", "cat", "##s"]
    wordpiece = WordPieceTokenizer(*from_vocabulary(symbols, lowercase=False))
    for tokenizer in (latin, wordpiece):
        ids = tokenizer.encode_batch(LINES)
        found = count_unknown(tokenizer, ids, LINES)
        assert found.tokens == len(ids[0]) and found.unknown == (ids[0] == 3).sum() == found.scripts.total()
        assert found.scripts == {"Thai": 3, "Cyrillic": 2, SYMBOLS: 1}


def test_few_lines_are_inspected_and_all_are_counted(latin):
    lines = ["a cat", *["แมว"] * 200]
    found = count_unknown(latin, latin.encode_batch(lines), lines)
    assert found.unknown == 200 and found.scripts == {"Thai": LOOKED_AT}


def test_one_in_a_hundred_is_worth_a_warning():
    counted = UnknownTokens(9331, 1204)
    counted.scripts.update({"Thai": 15, "Lao": 14})
    assert counted.warning("links of these words are unreliable") == (
        "1,204 of 9,331 tokens are unknown to the model's vocabulary, most of them in Thai script: "
        "links of these words are unreliable"
    )
    counted.scripts.update({"Han": 2, "Lao": 2})
    assert "most often in Lao script" in counted.warning("x")
    counted.scripts.update({SYMBOLS: 99})
    assert "most of them symbols: x" in counted.warning("x")
    counted.add(UnknownTokens(trimmed=("a.en", "a.de")))
    assert counted.warning("x").endswith(": x; it was trimmed to a.en, a.de, which xalign untrim undoes")
    for unknown, said in ((93, False), (94, True)):
        assert (UnknownTokens(9331, unknown, counted.scripts).warning("x") is not None) is said


def test_counts_of_a_manifest():
    entries = [
        {"tokens": {"en": 5, "th": 7}, "unknown": {"en": 0, "th": 6}, "unknown_scripts": {"en": {}, "th": {"Thai": 6}}},
        {"tokens": {"en": 8}, "unknown": {"en": 2}, "unknown_scripts": {"en": {"Thai": 1, "symbols": 1}}},
    ]
    counted = unknown_of_texts(entries)
    assert (counted.tokens, counted.unknown, counted.scripts) == (20, 8, {"Thai": 7, "symbols": 1})
