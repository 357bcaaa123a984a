import random

import numpy as np
import pytest
import sentencepiece
from support.text import LINES, sentencepiece_model, train_symbols

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text import corpus
from xalign_fairseq.data.tokenizers.dictionary import MASK, Dictionary
from xalign_fairseq.data.tokenizers.model_proto import BYTE, CONTROL, NORMAL, UNKNOWN, Piece, make_unigram, read_pieces
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer
from xalign_fairseq.data.tokenizers.trimming import FLOOR, Trimmer, script, trim_to_files
from xalign_fairseq.data.tokenizers.wordpiece import WordPieceTokenizer, from_vocabulary

SPECIALS = [Piece("<unk>", 0.0, UNKNOWN), Piece("<s>", 0.0, CONTROL), Piece("</s>", 0.0, CONTROL)]


def train(kind="unigram", **options):
    return sentencepiece_model(
        LINES * 20, **{"model_type": kind, "character_coverage": 1.0, "vocab_size": 700} | options
    )


def unigram(pieces):
    """A tokenizer of pieces and their scores."""
    return SentencePieceTokenizer(make_unigram([*SPECIALS, *(Piece(*each) for each in pieces.items())], b""))


def trim(tokenizer, lines, floor=0):
    trimmer = Trimmer(tokenizer)
    trimmer.read(lines)
    return trimmer.trim(floor)


def assert_same(tokenizer, trimmed, lines):
    """Both give the same pieces and words."""
    small, rows = trimmed.tokenizer, trimmed.rows
    assert small.dictionary.embedding_size == len(rows) and (np.diff(rows) > 0).all()
    symbols = [*tokenizer.dictionary.symbols, MASK]
    assert [symbols[row] for row in rows] == [*small.dictionary.symbols, MASK][: len(rows)]
    (theirs, sizes), (mine, my_sizes) = tokenizer.encode_batch(lines), small.encode_batch(lines)
    assert sizes.tolist() == my_sizes.tolist()
    assert theirs.tolist() == rows[mine].tolist()
    words = [line.split() for line in lines]
    (theirs, _), (index, _) = tokenizer.encode_words_batch(words)
    (mine, _), (my_index, _) = small.encode_words_batch(words)
    assert theirs.tolist() == rows[mine].tolist() and index.tolist() == my_index.tolist()


def mixed_lines(number, seed=1):
    """Words of all scripts of the text, some of them cut, joined or unknown to any model."""
    draw = random.Random(seed)
    words = [word for line in LINES for word in line.split()]
    odd = ["☃", "ქართული", "𝒳𝒴", "ﬁ", "e\u0301", "１２", "\u200bx", "zzzz", "Łódź", "ꙮ", "🇩🇪"]

    def word():
        first, second = draw.choice(words), draw.choice(words)
        kind = draw.random()
        return first if kind < 0.6 else first[: len(first) // 2] + second if kind < 0.9 else draw.choice(odd)

    return [" ".join(word() for _ in range(draw.randint(0, 12))) for _ in range(number)]


def test_lines_in_many_scripts_are_cut_as_before():
    tokenizer, lines = SentencePieceTokenizer(train(vocab_size=900)), mixed_lines(1500)
    trimmed = trim(tokenizer, lines)
    assert_same(tokenizer, trimmed, lines)
    part = [line for line in lines if line.isascii()]
    small = trim(tokenizer, part)
    assert len(small.rows) < len(trimmed.rows) <= tokenizer.dictionary.embedding_size
    assert_same(tokenizer, small, part)


@pytest.mark.parametrize("seed", range(10))
def test_segmentations_that_are_equally_likely_stay(seed):
    """Scores are small integers, so almost every line has several best segmentations."""
    draw = random.Random(seed)
    texts = {"".join(draw.choices("abcd▁", k=draw.randint(1, 4))) for _ in range(60)} | {"▁", "a"}
    tokenizer = unigram({text: -float(draw.randint(1, 4) * len(text)) for text in texts})
    lines = ["".join(draw.choices("abcde ", k=draw.randint(1, 9))) for _ in range(40)]
    assert_same(tokenizer, trim(tokenizer, lines), lines)


def test_the_score_of_unknown_characters_is_kept():
    """An unknown token's score depends on the lowest of all scores: without "zzz", abc and an unknown é would win."""
    pieces = {"▁": -1.0, "ab": -20.0, "cé": -20.0, "abc": -1.0, "zzz": -50.0}
    tokenizer = unigram(pieces)
    lines = ["abc", "abcé"]
    assert_same(tokenizer, trim(tokenizer, lines), lines)
    without = unigram({piece: score for piece, score in pieces.items() if piece != "zzz"})
    symbols = without.dictionary.symbols
    assert [symbols[i] for i in without.encode("abcé")] == ["▁", "abc", "<unk>"]


def test_normalisation_is_kept(tmp_path):
    tokenizer = SentencePieceTokenizer(train(normalization_rule_name="nmt_nfkc_cf"))
    small = trim(tokenizer, LINES).tokenizer
    for text in ("ﬁne ½ ＷＩＤＥ", "ẞ  \t x", "Ⅳ"):
        normalise = [
            sentencepiece.SentencePieceProcessor(model_proto=each.model).normalize for each in (tokenizer, small)
        ]
        assert normalise[0](text) == normalise[1](text)


def test_bytes_and_own_symbols_stay():
    model = train(byte_fallback=True, user_defined_symbols=["<sep>"], control_symbols=["<ctrl>"], vocab_size=900)
    small = trim(SentencePieceTokenizer(model), LINES[:1]).tokenizer
    kept = read_pieces(small.model)
    assert sum(piece.type == BYTE for piece in kept) == 256 and len(kept) < len(read_pieces(model))
    assert {"<sep>", "<ctrl>"} <= {piece.text for piece in kept}
    assert {"<sep>", "<ctrl>", "<0xFF>"} <= set(small.dictionary.symbols)


def test_a_dictionary_in_another_order_with_missing_and_additional_pieces():
    """Pieces that the text has but the dictionary lacks stay; otherwise the text would be split differently."""
    model = train()
    pieces = [piece.text for piece in read_pieces(model)[3:]]
    random.Random(0).shuffle(pieces)
    tokenizer = SentencePieceTokenizer(
        model, Dictionary([*pieces[: len(pieces) * 2 // 3], "madeupword0000", MASK, "☃"])
    )
    lines = mixed_lines(300)
    trimmed = trim(tokenizer, lines)
    assert_same(tokenizer, trimmed, lines)
    small = trimmed.tokenizer.dictionary
    assert "madeupword0000" not in small and "☃" in small and MASK in small
    assert small.embedding_size == len(small) == len(trimmed.rows)
    english = [line for line in lines if line.isascii()]
    assert_same(tokenizer, trim(tokenizer, english), english)


def test_other_text_in_the_same_script_has_no_new_unknown_token():
    tokenizer = SentencePieceTokenizer(train())
    small = trim(tokenizer, ["The quick fox."]).tokenizer
    czech = "Příliš žluťoučký 3.14."
    assert 3 not in small.encode(czech) and len(small.encode(czech)) > len(tokenizer.encode(czech))
    assert 3 in small.encode("Съешь же") and 3 not in tokenizer.encode("Съешь же")


def test_a_quoted_script_keeps_its_letters():
    tokenizer = SentencePieceTokenizer(train())
    text = ["The quick foxes aren't jumping over lazy dogs"] * 300

    def cyrillic(lines):
        symbols = trim(tokenizer, lines).tokenizer.dictionary.symbols[4:]
        return {symbol for symbol in symbols if len(symbol) == 1 and script(symbol) == "CYRILLIC"}

    assert cyrillic(text) == set() and cyrillic([*text, "чаю"]) == set("чаю")
    assert len(cyrillic([*text, *["чаю"] * 30])) > 20


def test_the_floor_holds_the_best_pieces():
    tokenizer = SentencePieceTokenizer(train())
    ordered = sorted((p for p in read_pieces(tokenizer.model) if p.type == NORMAL), key=lambda p: -p.score)
    small = trim(tokenizer, ["a"], floor=100)
    assert {piece.text for piece in ordered[:100]} <= set(small.tokenizer.dictionary.symbols)
    assert len(small.rows) < len(trim(tokenizer, ["a"], floor=300).rows)
    assert len(trim(tokenizer, ["a"], floor=10**6).rows) == tokenizer.dictionary.embedding_size
    with pytest.raises(XalignError, match="below 0"):
        trim(tokenizer, ["a"], floor=-1)


@pytest.mark.parametrize("kind", ["bpe", "WordPiece"])
def test_another_kind_is_refused(kind):
    if kind == "bpe":
        tokenizer = SentencePieceTokenizer(train(kind))
    else:
        tokenizer = WordPieceTokenizer(*from_vocabulary(train_symbols(LINES), lowercase=False))
    with pytest.raises(XalignError, match=f"(?s)this kind of tokenizer can't be trimmed.*{kind}.*unigram"):
        Trimmer(tokenizer)


def test_files_are_read_in_parts_and_checked(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "CHUNK_LINES", 100)
    tokenizer = SentencePieceTokenizer(train())
    lines = mixed_lines(350)
    (tmp_path / "a").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "b").write_text("".join(f"{line}\n" for line in LINES))
    trimmed = trim_to_files(tokenizer, [tmp_path / "a", tmp_path / "b"])
    assert trimmed.rows.tolist() == trim(tokenizer, [*lines, *LINES], FLOOR).rows.tolist()
    (tmp_path / "b").write_bytes(b"good\n\xff\n")
    with pytest.raises(XalignError, match="not UTF-8"):
        trim_to_files(tokenizer, [tmp_path / "a", tmp_path / "b"])
