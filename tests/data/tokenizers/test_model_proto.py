import struct
import sys

import pytest
import sentencepiece
from support.text import sentencepiece_model

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.tokenizers.model_proto import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    USER_DEFINED,
    Piece,
    keep_pieces,
    make_unigram,
    model_type,
    read_normalisation,
    read_pieces,
    rule_charsmap,
    with_pieces,
)


def train(**options):
    words = ["".join("abcdefgh"[(k * j) % 8] for j in range(1, 2 + k % 7)) for k in range(400)]
    return sentencepiece_model((" ".join(words[k : k + 8]) for k in range(0, 400, 8)), **{"vocab_size": 50} | options)


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


def test_kept_pieces_keep_their_order_and_all_other_fields_stay():
    model = train(user_defined_symbols=["<mask>"], normalization_rule_name="nmt_nfkc_cf")
    pieces = read_pieces(model)
    keep = [piece.type != NORMAL or i % 3 == 0 for i, piece in enumerate(pieces)]

    fewer = keep_pieces(model, keep)

    assert read_pieces(fewer) == [piece for piece, stays in zip(pieces, keep, strict=True) if stays]
    assert read_normalisation(fewer) == read_normalisation(model) and model_type(fewer) == model_type(model)
    processor = sentencepiece.SentencePieceProcessor(model_proto=fewer)
    assert (processor.unk_id(), processor.bos_id(), processor.eos_id()) == (0, 1, 2)
    assert processor.get_piece_size() == sum(keep)
    with pytest.raises(ValueError, match="shorter"):
        keep_pieces(model, keep[:-1])


def test_added_pieces_follow_the_models_own():
    model = train()
    score = struct.unpack("<f", struct.pack("<f", -0.1))[0]
    # Lengths near those where a number takes one more byte.
    long = [Piece("x" * length, score) for length in (110, 118, 119, 125, 128, 200, 400)]
    extra = [Piece("▁new", -3.25), Piece("ბ", 0.0), *long]

    longer = with_pieces(model, extra)

    assert read_pieces(longer) == [*read_pieces(model), *extra]
    processor = sentencepiece.SentencePieceProcessor(model_proto=longer)
    assert processor.get_piece_size() == len(read_pieces(model)) + 9
    assert processor.encode("new ბ", out_type=str) == ["▁new", "▁", "ბ"]
    assert processor.get_score(processor.get_piece_size() - 9) == -3.25


@pytest.mark.parametrize(
    ("options", "begins"),
    [
        ({}, True),
        ({"add_dummy_prefix": False}, False),
        ({"remove_extra_whitespaces": False}, False),
        ({"treat_whitespace_as_suffix": True}, False),
    ],
)
def test_normalisation(options, begins):
    found = read_normalisation(train(**options))
    assert found.begins_words is begins and len(found.charsmap) > 1000
    assert read_normalisation(train(normalization_rule_name="identity")).charsmap == b""
    assert rule_charsmap("nmt_nfkc") == read_normalisation(train(normalization_rule_name="nmt_nfkc")).charsmap
    assert len({rule_charsmap(name) for name in ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf")}) == 4


@pytest.mark.parametrize("charsmap", [b"", b"x" * 127, b"x" * 128, b"x" * 20000])
def test_a_model_is_written_as_protobuf_would(charsmap):
    protos = pytest.importorskip("sentencepiece.sentencepiece_model_pb2")
    pieces = [Piece("<unk>", 0.0, UNKNOWN), *(Piece("ბ" * n, -0.1 * n) for n in (1, 2, 38, 39, 40, 42, 43, 6000))]
    made = protos.ModelProto()
    made.trainer_spec.model_type = made.trainer_spec.UNIGRAM
    made.normalizer_spec.precompiled_charsmap = charsmap
    for piece in pieces:
        made.pieces.add(piece=piece.text, score=piece.score, type=piece.type)
    assert make_unigram(pieces, charsmap) == made.SerializeToString(deterministic=True)


def test_unknown_fields_are_kept():
    model = train() + bytes([2000 << 3 & 0x7F | 0x80 | 2, 2000 >> 4, 3]) + b"abc"  # field 2000, three bytes
    assert with_pieces(model, [Piece("▁new", -1.0)]).endswith(b"abc")
    protos = pytest.importorskip("sentencepiece.sentencepiece_model_pb2")
    first, second = (protos.ModelProto.FromString(each) for each in (model, with_pieces(model, [Piece("x", -1.0)])))
    del second.pieces[-1]
    assert first == second


def test_without_protobuf_the_error_names_it(monkeypatch):
    model = train()
    monkeypatch.setitem(sys.modules, "sentencepiece.sentencepiece_model_pb2", None)
    monkeypatch.delattr(sentencepiece, "sentencepiece_model_pb2", raising=False)
    with pytest.raises(XalignError, match=r"(?s)protobuf.*next: pip install -U protobuf"):
        read_pieces(model)


@pytest.mark.parametrize("piece", [Piece("\ud800", -1.0), Piece("a", 1e300)])
def test_pieces_that_no_model_can_have(piece):
    with pytest.raises(XalignError, match=r"where: Piece\(text="):
        make_unigram([Piece("<unk>", 0.0, UNKNOWN), piece], b"")
