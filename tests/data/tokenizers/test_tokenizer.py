import pickle
import random
from pathlib import Path

import pytest
import sentencepiece
from fairseq.data import Dictionary as FairseqDictionary
from support.text import sentencepiece_model

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.corpus import scan
from xalign_fairseq.core.text.lines import split_words
from xalign_fairseq.data.tokenizers.dictionary import BOS, EOS, UNK, Dictionary
from xalign_fairseq.data.tokenizers.model_proto import CONTROL, UNKNOWN, Piece, make_unigram
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer, dictionary_of_model, load_sentencepiece

# "¨" becomes a space and a combining mark, "\u200b" nothing, "ﬁ" and "Ⅳ" two letters, "\u00a0" a space; Ж is unknown.
ODD = [
    "ab ¨c d",
    "ab \u200b cd",
    "ﬁab ad",
    "Ⅳ Ж ab ЖЖab",
    "ab\u00a0cd e",
    "\u200b",
    "",
    "  ab   cd  ",
    "ab\tcd",
    "▁ab ▁",
]


def lines_of(bitext: Path) -> list[str]:
    return [line for lang in ("en", "el") for line in scan(bitext / f"valid.{lang}").read()]


def fairseq_ids(model: Path, dictionary: Path, line: str) -> list[int]:
    """A line encoded by spm_encode and fairseq-preprocess."""
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(model)).encode(line, out_type=str)
    symbols = FairseqDictionary.load(str(dictionary))
    return symbols.encode_line(" ".join(pieces), add_if_not_exist=False, append_eos=False).tolist()


@pytest.mark.parametrize("extra", ["", "Ж 4\n"])
def test_ids_equal_spm_encode_and_fairseqs_dictionary(tmp_path, bitext, spm, extra):
    # A dictionary made from encoded text holds characters that the model does not know.
    dictionary_of_model(load_sentencepiece(spm)).save(tmp_path / "dict.txt")
    text = (tmp_path / "dict.txt").read_text(encoding="utf-8")
    (tmp_path / "dict.txt").write_text(extra + text.replace("▁ 1\n", ""), encoding="utf-8")  # lacks a piece
    tokenizer = SentencePieceTokenizer(spm, Dictionary.load(tmp_path / "dict.txt"))
    assert tokenizer.missing_pieces == 1
    unknown = 0
    for line in [*lines_of(bitext), *ODD]:
        ids = tokenizer.encode(line)
        assert ids == fairseq_ids(spm, tmp_path / "dict.txt", line)
        unknown += ids.count(3)
    assert unknown > 0


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        ("ab ¨c d", ["ab", "¨c", "d"]),
        ("ab \u200b cd", ["ab", "", "cd"]),
        ("Ⅳ Ж ab ЖЖab", ["IV", "Ж", "ab", "ЖЖab"]),
        ("ab\u00a0cd e", ["ab", "cd", "e"]),
        ("  ab   cd  ", ["ab", "cd"]),
        ("\u200b", [""]),
    ],
)
def test_every_token_belongs_to_the_word_that_spells_it(spm, line, texts):
    tokenizer = SentencePieceTokenizer(spm)
    ids, index = tokenizer.encode_words(split_words(line))
    assert ids == tokenizer.encode(line)
    pieces = load_sentencepiece(spm).encode(line, out_type=str)
    spelt = ["" for _ in texts]
    for piece, word in zip(pieces, index, strict=True):
        spelt[word] += piece.replace("▁", "")
    assert spelt == [load_sentencepiece(spm).normalize(text).replace("▁", "").replace(" ", "") for text in texts]


def test_a_batch_of_words_equals_its_sentences(bitext, spm):
    tokenizer = SentencePieceTokenizer(spm)
    sentences = [split_words(line) for line in [*lines_of(bitext), *ODD]]
    (flat, sizes), (index, index_sizes) = tokenizer.encode_words_batch(sentences)
    assert sizes.tolist() == index_sizes.tolist()
    alone = [tokenizer.encode_words(words) for words in sentences]
    assert flat.tolist() == [i for ids, _ in alone for i in ids]
    assert index.tolist() == [i for _, words in alone for i in words]
    assert pickle.loads(pickle.dumps(tokenizer)).encode_words(sentences[0]) == alone[0]
    assert tokenizer.encode_words([]) == ([], [])


def test_words_are_found_by_characters_if_a_line_is_cut_differently_from_its_words():
    protos = pytest.importorskip("sentencepiece.sentencepiece_model_pb2")
    # "abc" alone is ▁a b c rather than ▁a bc; after x the sums in float32 are equal, and the longer piece wins.
    scores = {"▁x": -20_000.0, "▁a": -1.0, "b": -0.5, "c": -0.5, "bc": -1.00001, "▁": -9.0}
    kinds = protos.ModelProto.SentencePiece
    pieces = [kinds(piece=symbol, type=kind) for symbol, kind in (("<unk>", 2), ("<s>", 3), ("</s>", 3))]
    pieces += [kinds(piece=piece, score=score) for piece, score in scores.items()]
    tokenizer = SentencePieceTokenizer(protos.ModelProto(pieces=pieces).SerializeToString())
    assert [tokenizer.dictionary.symbols[i] for i in tokenizer.encode("abc")] == ["▁a", "b", "c"]
    ids, words = tokenizer.encode_words(["x", "abc", "abc"])
    assert [tokenizer.dictionary.symbols[i] for i in ids] == ["▁x", "▁a", "bc", "▁a", "bc"]
    assert words == [0, 1, 1, 2, 2]


@pytest.mark.parametrize("raw", [b"", b"not a model", random.Random(1).randbytes(100)])
def test_a_file_that_is_no_model_is_an_error(tmp_path, raw):
    (tmp_path / "x.model").write_bytes(raw)
    with pytest.raises(XalignError, match=r"(?s)not a sentencepiece model.*x\.model") as error:
        SentencePieceTokenizer(tmp_path / "x.model")
    assert "INTERNAL" not in str(error.value)
    with pytest.raises(XalignError, match="does not exist"):
        SentencePieceTokenizer(tmp_path / "y.model")


def test_a_model_without_a_mark_before_each_word_can_not_find_words(bitext):
    lines = (bitext / "train.en").read_text().splitlines()
    tokenizer = SentencePieceTokenizer(sentencepiece_model(lines, vocab_size=60, add_dummy_prefix=False))
    assert tokenizer.encode("abc")
    with pytest.raises(XalignError, match="add_dummy_prefix"):
        tokenizer.encode_words(["abc", "d"])


@pytest.mark.parametrize("place", [5, 20, 60, 90])
def test_a_model_with_a_piece_that_is_not_text_is_damaged(spm, tmp_path, place):
    """With one changed byte, which sentencepiece itself accepts."""
    model, piece = bytearray(spm.read_bytes()), load_sentencepiece(spm).id_to_piece(place).encode()
    model[model.index(bytes([len(piece)]) + piece) + len(piece)] ^= 0x80
    path = tmp_path / "x.model"
    path.write_bytes(bytes(model))
    with pytest.raises(XalignError, match=rf"model is damaged\n  where: {path}"):
        SentencePieceTokenizer(path)
    with pytest.raises(XalignError, match="model is damaged"):
        SentencePieceTokenizer(bytes(model), Dictionary(["▁the"]))


def test_a_dictionary_of_another_model_is_an_error(spm):
    with pytest.raises(XalignError, match=r"(?s)does not belong.*11\d of the model's 120 pieces"):
        SentencePieceTokenizer(spm, Dictionary(["▁the", "▁a", "▁of"]))


def test_a_line_break_as_a_piece_does_not_break_the_dictionarys_file(tmp_path):
    """Libraries make such pieces if they learn from whole files."""
    pieces = [Piece(UNK, 0.0, UNKNOWN), Piece(BOS, 0.0, CONTROL), Piece(EOS, 0.0, CONTROL)]
    model = make_unigram([*pieces, *(Piece(text, -1.0) for text in ("\n", "▁a", "\n▁b", "c"))], b"")
    dictionary = SentencePieceTokenizer(model).dictionary
    dictionary.save(tmp_path / "dict.txt")
    loaded = Dictionary.load(tmp_path / "dict.txt")
    assert loaded.symbols == dictionary.symbols and len(loaded) == 4 + 4
    assert SentencePieceTokenizer(model, loaded).encode_words(["ac", "a"]) == ([5, 7, 5], [0, 0, 1])
