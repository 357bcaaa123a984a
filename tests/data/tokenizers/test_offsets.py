import random
import unicodedata

import pytest
from support.text import sentencepiece_model

from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer, load_sentencepiece

TEXTS = [
    "The fine house, built in 1971 (or 1972), costs half of that.",
    "Das schöne Haus wurde im Jahre 1971 gebaut und kostet viel.",
    "东京有1300万人口，是日本的首都。",
    "हिन्दी भाषा भारत में बोली जाती है।",
    "كتب المؤلف الكتاب في عام 1971 في القاهرة.",
]
ODD = [
    "",
    " ",
    "\u200b",
    "  ab   cd ",
    "ﬁne ½ of Ⅳ㍿",
    "e\u0301te\u0301",
    "a\u200bb a\u200b",
    "a\u0007b",
    "▁ab ▁ c",
    "I 😀 love 👨\u200d👩\u200d👧 it",
    "one\n\ntwo\tthree\u00a0four",
    "صلى الله ﷺ عليه",
    "x ¨c y",
    "ЖЖab Ж",
    "<s> <unk> <0x41> ab",
]


def train(**options):
    return sentencepiece_model(TEXTS * 20, **{"vocab_size": 300, "character_coverage": 1.0, **options})


@pytest.fixture(scope="module")
def tokenizer():
    return SentencePieceTokenizer(train())


MODELS = {
    "unigram": {},
    "bytes": {"byte_fallback": True, "vocab_size": 600},
    "bpe": {"model_type": "bpe", "vocab_size": 200},
    "as it is": {"normalization_rule_name": "identity"},
    "suffix": {"treat_whitespace_as_suffix": True},
    "symbols": {"user_defined_symbols": ["1971", "<s> <"]},
    "no space in front": {"add_dummy_prefix": False},
    "across words": {"split_by_whitespace": False},
}


@pytest.fixture(scope="module", params=list(MODELS))
def any_tokenizer(request):
    return SentencePieceTokenizer(train(**MODELS[request.param]))


def spell(tokenizer, text):
    ids, begin, end = tokenizer.encode_with_offsets(text)
    assert ids == tokenizer.encode(text)
    assert len(ids) == len(begin) == len(end)
    return [text[b:e] for b, e in zip(begin, end, strict=True)]


def test_ids_are_those_of_encode_and_ranges_cover_all_letters_in_order(any_tokenizer):
    for text in [*TEXTS, *ODD]:
        ids, begin, end = any_tokenizer.encode_with_offsets(text)
        assert ids == any_tokenizer.encode(text)
        assert ((begin >= 0) & (begin <= end) & (end <= len(text))).all()
        covered = [(b, e) for b, e in zip(begin.tolist(), end.tolist(), strict=True) if e > b]
        assert covered == sorted(covered)
        inside = {i for b, e in covered for i in range(b, e)}
        letters = [
            i for i, char in enumerate(text) if not any(p in "ZC▁" for p in (unicodedata.category(char)[0], char))
        ]
        assert set(letters) <= inside
        assert not any(text[b].isspace() or text[e - 1].isspace() for b, e in covered)


def test_ranges_by_hand(tokenizer):
    processor = load_sentencepiece(tokenizer.model)
    for text, normal in (("ﬁne", "fine"), ("a\u200bb", "a b"), ("e\u0301", "é")):
        assert processor.normalize(text).replace("▁", " ").strip() == normal  # differs from the text
    letters = SentencePieceTokenizer(train(model_type="char"))  # one piece per character of the normalised text
    assert spell(letters, " ab  c ") == ["", "a", "b", "", "c"]
    assert spell(letters, "1½") == ["", "1", "½", "½", "½"]
    assert spell(letters, "e\u0301a") == ["", "e\u0301", "a"]
    assert spell(letters, "a\u200bb") == ["", "a", "", "b"]
    assert spell(letters, "a\u0007b") == ["", "a\u0007", "b"]
    assert spell(letters, "กขค") == ["", "กขค"]  # one unknown piece holds consecutive unknown characters
    assert spell(letters, "人口") == ["", "人", "口"]


def test_white_space_inside_a_piece_splits_it_as_fairseq_does():
    tokenizer = SentencePieceTokenizer(train(**MODELS["as it is"]))
    assert load_sentencepiece(tokenizer.model).encode("ЖЖ\u00a0Ж\tЯ", out_type=str) == ["▁", "ЖЖ\u00a0Ж\tЯ"]
    assert spell(tokenizer, "ЖЖ\u00a0Ж\tЯ") == ["", "ЖЖ", "Ж", "Я"]


def test_any_text_of_any_characters(tokenizer):
    rng = random.Random(1)
    alphabet = [*"ab 19", "½", "ﬁ", "\u0301", "人", "हि", "न्", " ", "\u200b", "ﷺ", "😀", "\n", "Ж", "▁"]
    for _ in range(300):
        text = "".join(rng.choices(alphabet, k=rng.randint(0, 30)))
        assert all(not part or not part[0].isspace() for part in spell(tokenizer, text))
