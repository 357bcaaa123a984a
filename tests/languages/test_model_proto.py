import io
import struct

import pytest
import sentencepiece

from xalign_fairseq.errors import XalignError
from xalign_fairseq.languages.model_proto import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    USER_DEFINED,
    Piece,
    read_pieces,
    require_unigram,
    with_pieces,
)  # fmt: skip


def train(**options):
    model = io.BytesIO()
    words = ["".join("abcdefgh"[(k * j) % 8] for j in range(1, 2 + k % 7)) for k in range(400)]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([" ".join(words[k : k + 8]) for k in range(0, 400, 8)]), model_writer=model,
        hard_vocab_limit=False, minloglevel=2, num_threads=1, **{"vocab_size": 50} | options,
    )  # fmt: skip
    return model.getvalue()


def test_pieces_are_those_of_sentencepiece():
    model = train(user_defined_symbols=["<mask>"], byte_fallback=True, vocab_size=330)
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)

    pieces = read_pieces(model)

    ids = range(processor.get_piece_size())
    assert [piece.text for piece in pieces] == [processor.id_to_piece(i) for i in ids]
    assert [piece.score for piece in pieces] == [processor.get_score(i) for i in ids]
    types = [piece.type for piece in pieces]
    assert types[:4] == [UNKNOWN, CONTROL, CONTROL, USER_DEFINED]
    assert [kind == BYTE for kind in types] == [processor.is_byte(i) for i in ids]
    assert types.count(BYTE) == 256 and types.count(NORMAL) > 10


def test_added_pieces_follow_the_models_own():
    model = train()
    score = struct.unpack("<f", struct.pack("<f", -0.1))[0]
    # Lengths around those at which a number takes one more byte.
    long = [Piece("x" * length, score) for length in (110, 118, 119, 125, 128, 200, 400)]
    extra = [Piece("▁new", -3.25), Piece("ბ", 0.0), *long]

    longer = with_pieces(model, extra)

    assert read_pieces(longer) == [*read_pieces(model), *extra]
    processor = sentencepiece.SentencePieceProcessor(model_proto=longer)
    assert processor.get_piece_size() == len(read_pieces(model)) + 9
    assert processor.encode("new ბ", out_type=str) == ["▁new", "▁", "ბ"]
    assert processor.get_score(processor.get_piece_size() - 9) == -3.25


@pytest.mark.parametrize("kind", ["bpe", "word", "char"])
def test_other_types_are_refused(kind):
    require_unigram(train(), "here")
    with pytest.raises(XalignError, match=f"here\n  found: a {kind} model"):
        require_unigram(train(model_type=kind), "here")
