import random

import pytest
import sentencepiece
from support.text import sentencepiece_model

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.tokenizers.model_proto import Piece, with_pieces
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer
from xalign_fairseq.languages.script import BLANK, EMPTY, MARKER, Transliteration, private_characters
from xalign_fairseq.languages.sentence import Sentence

# "¨" becomes a space and a combining mark, "\u200b" a space, "ﬁ" and "Ⅳ" two letters; Ж is unknown.
ODD = ["ab¨c", "ab\u200bcd", "\u200b", "¨", "ﬁab", "Ⅳ", "Ж", "abЖЖcd", "Жa", "▁ab", "a▁b", "▁", "😀", "<mask>", "<s>"]


def train(path, **options):
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghikl.,", k=chance.randint(1, 8))) for _ in range(300)]
    lines = [" ".join(chance.choices(words, k=9)) for _ in range(600)]
    path.write_bytes(sentencepiece_model(lines, **{"vocab_size": 120} | options))
    return path


@pytest.fixture(scope="module")
def spm(tmp_path_factory):
    return train(tmp_path_factory.mktemp("spm") / "spm.model")


@pytest.fixture(scope="module")
def words():
    chance = random.Random(2)
    return [*sorted({"".join(chance.choices("abcdefghikl.,", k=chance.randint(1, 12))) for _ in range(1500)}), *ODD]


def pieces(model, *words):
    return sentencepiece.SentencePieceProcessor(model_file=str(model)).encode(list(words), out_type=str)


def test_ids_of_derived_words_are_natural_ids_plus_the_number_of_pieces(spm, words):
    transliteration = Transliteration(spm)
    natural, derived = (
        SentencePieceTokenizer(spm),
        SentencePieceTokenizer(transliteration.model, transliteration.dictionary),
    )
    number = len(natural.dictionary) - 4  # besides <unk>, <s>, </s> the model has only normal pieces

    assert len(derived.dictionary) == 4 + 2 * number
    assert derived.dictionary.symbols[: 4 + number] == natural.dictionary.symbols
    for word in words:
        form = transliteration.form(word)
        ids = natural.encode(word)
        assert derived.encode(word) == ids  # natural text is read as before
        assert derived.encode(form) == [i if i < 4 else i + number for i in ids], word  # <s>, <unk> are shared
        assert form and form.split() == [form]
        if word not in ODD:
            assert not set(form) & set(word)


def natural_pieces(transliteration, word):
    """The natural pieces that correspond to the pieces of the derived word."""
    originals = {twin: text for text, twin in transliteration.twins.items()}
    derived = sentencepiece.SentencePieceProcessor(model_proto=transliteration.model)
    return [originals.get(piece, piece) for piece in derived.encode(transliteration.form(word), out_type=str)]


@pytest.mark.parametrize("overlap", [0, 37.5, 100])
def test_derived_words_have_the_natural_pieces(spm, words, overlap):
    transliteration = Transliteration(spm, overlap=overlap, seed=5)
    for word, natural in zip(words, pieces(spm, *words), strict=True):
        assert natural_pieces(transliteration, word) == natural
        if overlap == 100 and word not in ODD:
            assert transliteration.form(word) == word


def test_a_word_by_hand(tmp_path):
    spm = train(tmp_path / "spm.model", user_defined_symbols=["<mask>"])
    spm.write_bytes(with_pieces(spm.read_bytes(), [Piece("▁cab", 0.0), Piece("gag", 0.0)]))
    transliteration = Transliteration(spm)
    assert pieces(spm, "cab", "gag") == [["▁cab"], ["▁", "gag"]]

    assert transliteration.form("cab") == "\U000f0063\U000f0061\U000f0062"
    assert transliteration.form("gag") == MARKER + "\U000f0067\U000f0061\U000f0067"
    assert transliteration.form("<mask>") == MARKER + "<mask>"
    assert transliteration.twins["▁"] == "▁" + MARKER
    assert "<mask>" not in transliteration.twins and "<unk>" not in transliteration.twins
    assert transliteration.twins["a"] == "\U000f0061"


@pytest.mark.parametrize("overlap", [0, 0.4, 25, 33, 50, 99.5, 100])
def test_shared_pieces_are_exactly_the_percentage(spm, overlap):
    transliteration = Transliteration(spm, overlap=overlap, seed=3)
    symbols = transliteration.dictionary.symbols
    normal = list(Transliteration(spm).twins)
    shared = round(overlap * len(normal) / 100)

    assert len(normal) > 100
    assert sum(symbol not in transliteration.twins for symbol in normal) == shared
    assert len(symbols) == 4 + 2 * len(normal) - shared
    assert transliteration.counts["shared pieces"] == shared
    assert symbols[4 + len(normal) :] == list(transliteration.twins.values())


def test_words_keep_their_number_and_odd_ones_are_counted(spm):
    transliteration = Transliteration(spm)
    natural = ["ab", "¨", "\u200b", "a b", "ab", "¨"]
    derived = transliteration(Sentence.natural(natural), 0)

    assert derived.source == tuple(natural)
    assert derived.forms[2] == "\u200b"
    assert "\u200b" in derived.forms[3] and len(" ".join(derived.forms).split()) == 6
    assert (transliteration.counts[BLANK], transliteration.counts[EMPTY]) == (1, 1)
    assert derived.forms[0] == derived.forms[4] == transliteration.form("ab")


def test_bytes_are_shared(tmp_path):
    spm = train(tmp_path / "spm.model", byte_fallback=True, vocab_size=380)
    transliteration = Transliteration(spm)
    assert "<0xD0>" not in transliteration.twins
    assert "Ж" in transliteration.form("abЖ😀c")
    assert natural_pieces(transliteration, "abЖ😀c") == pieces(spm, "abЖ😀c")[0]
    derived = SentencePieceTokenizer(transliteration.model, transliteration.dictionary)
    number, first = len(transliteration.twins), derived.dictionary.index(next(iter(transliteration.twins)))
    natural = SentencePieceTokenizer(spm).encode("abЖ😀c")
    assert derived.encode(transliteration.form("abЖ😀c")) == [i + number if i >= first else i for i in natural]


def test_files_are_read_back(spm, tmp_path):
    transliteration = Transliteration(spm)
    transliteration.save(tmp_path, "en", "xx")
    tokenizer = SentencePieceTokenizer(tmp_path / "sentencepiece.model")
    assert tokenizer.dictionary.symbols == transliteration.dictionary.symbols
    rows = [line.split("\t") for line in (tmp_path / "lexicon.en-xx.tsv").read_text(encoding="utf-8").splitlines()]
    assert dict(rows) == transliteration.twins and len(rows) == len(transliteration.twins)
    assert (tmp_path / "dict.txt").read_text(encoding="utf-8").splitlines()[-1] == f"{rows[-1][1]} 1"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model_type": "bpe"}, "found: a bpe model"),
        ({"treat_whitespace_as_suffix": True}, "pieces span words"),
        ({"add_dummy_prefix": False}, "pieces span words"),
    ],
)
def test_models_that_cannot_be_copied(tmp_path, options, message):
    with pytest.raises(XalignError, match=message):
        Transliteration(train(tmp_path / "spm.model", **options))


def test_pieces_of_several_words_and_of_the_script_itself_are_errors(spm, tmp_path):
    (tmp_path / "more.model").write_bytes(with_pieces(spm.read_bytes(), [Piece("▁ab▁c", -9.0)]))
    with pytest.raises(XalignError, match="found: ▁ab▁c"):
        Transliteration(tmp_path / "more.model")
    Transliteration(spm).save(tmp_path, "en", "xx")
    with pytest.raises(XalignError, match="already has characters of the derived script"):
        Transliteration(tmp_path / "sentencepiece.model")


def test_normalisation_must_leave_the_script_alone(tmp_path):
    (tmp_path / "rules.tsv").write_text("F0061\t62\n")
    folding = train(tmp_path / "spm.model", normalization_rule_tsv=str(tmp_path / "rules.tsv"))
    with pytest.raises(XalignError, match="000f0061"):
        Transliteration(folding)


def test_characters_by_hand():
    table = private_characters("ač😀")
    assert table == {"a": "\U000f0061", "č": "\U000f010d", "😀": "\U0010f600"}


@pytest.mark.parametrize(("text", "found"), [("a\U000f0061", "0xf0061"), ("a" + MARKER, "0xf2581")])
def test_characters_of_the_script_in_the_text_are_an_error(text, found):
    with pytest.raises(XalignError, match=f"1 character, the first of them {found}"):
        private_characters(text)


def test_too_many_distinct_characters():
    table = private_characters(map(chr, range(0x20000, 0x20800)))
    assert len(set(table.values())) == 2048
    with pytest.raises(XalignError, match="too many characters"):
        private_characters(map(chr, range(0x20000, 0x20802)))
