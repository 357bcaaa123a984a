"""The pieces and the normaliser of a sentencepiece model's file, by the messages that sentencepiece ships.

``sentencepiece.sentencepiece_model_pb2`` needs protobuf, which sentencepiece does not install. The export to Hugging
Face's files, trimming and derived scripts need protobuf; tokenisation does not.
"""

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import sentencepiece

from xalign_fairseq.core.errors import XalignError

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6  # ModelProto.SentencePiece.Type


class Piece(NamedTuple):
    """A piece of a model: its text, log-probability and type (:data:`NORMAL`, :data:`CONTROL` ...)."""

    text: str
    score: float
    type: int = NORMAL


@dataclass(frozen=True)
class Normalisation:
    """A model's normalisation of text."""

    charsmap: bytes  # character replacements in sentencepiece's compiled form; empty for none
    begins_words: bool  # sentencepiece's default: ▁ begins words, and spaces are stripped and merged


def read_pieces(model: bytes) -> list[Piece]:
    """All pieces in the order of their ids; ``model`` is loaded by sentencepiece."""
    return [Piece(each.piece, each.score, each.type) for each in _parse(model).pieces]


def require_unigram(model: bytes, where: object) -> None:
    if (kind := model_type(model)) != "unigram":
        problem = "only a unigram model of sentencepiece can be copied into another script"
        raise XalignError(problem, where=where, found=f"a {kind} model")


def model_type(model: bytes) -> str:
    """``unigram``, ``bpe``, ``word`` or ``char``."""
    trainer = _parse(model).trainer_spec
    return trainer.ModelType.Name(trainer.model_type).lower()


def read_normalisation(model: bytes) -> Normalisation:
    proto = _parse(model)
    normaliser = proto.normalizer_spec
    begins = normaliser.add_dummy_prefix and normaliser.remove_extra_whitespaces and normaliser.escape_whitespaces
    # treat_whitespace_as_suffix: ▁ ends words, instead of beginning them.
    return Normalisation(normaliser.precompiled_charsmap, begins and not proto.trainer_spec.treat_whitespace_as_suffix)


def rule_charsmap(name: str) -> bytes:
    """The charsmap of one of sentencepiece's own normalisations."""
    rules = sentencepiece.SentencePieceNormalizer(rule_name=name)
    return read_normalisation(rules.serialized_model_proto()).charsmap


def make_unigram(pieces: Iterable[tuple[str, float, int]], charsmap: bytes) -> bytes:
    """A unigram model, which normalises text by a charsmap and sentencepiece's other defaults.

    The model is written without protobuf, which takes a second for XLM-R's pieces.
    """
    numbers, model = struct.Struct("<cfcB").pack, bytearray()
    text, score, kind = "", 0.0, NORMAL
    try:
        for text, score, kind in pieces:
            content = text.encode()
            model += _head(len(content))
            model += content
            model += numbers(b"\x15", score, b"\x18", kind)
    except (UnicodeEncodeError, OverflowError) as error:
        where = ascii(Piece(text, score, kind))
        raise XalignError("a piece can't be part of a sentencepiece model", where=where, found=error) from None
    model += b"\x12\x02\x18\x01"  # trainer_spec, model_type UNIGRAM
    charsmap = b"\x12%b%b" % (_size(len(charsmap)), charsmap)
    return bytes(model + b"\x1a%b%b" % (_size(len(charsmap)), charsmap))  # normalizer_spec


@cache
def _head(length: int) -> bytes:
    """The bytes before the text of a piece, which seven bytes of score and type follow."""
    size = _size(length)
    return b"\n%b\n%b" % (_size(1 + len(size) + length + 7), size)


@cache
def _size(size: int) -> bytes:
    """A length in protobuf's form: seven bits per byte, lowest first."""
    return bytes([size]) if size < 128 else bytes([size % 128 + 128]) + _size(size // 128)


def with_pieces(model: bytes, pieces: Iterable[Piece]) -> bytes:
    """The model with more pieces after its own; the rest stays, unknown fields included."""
    proto = _parse(model)
    for piece in pieces:
        proto.pieces.add(piece=piece.text, score=piece.score, type=piece.type)
    return proto.SerializeToString(deterministic=True)


def keep_pieces(model: bytes, keep: Iterable[bool]) -> bytes:
    """The model with only the kept pieces, in their order; normalisation stays."""
    proto, fewer = _parse(model), _messages().ModelProto()
    for part in ("trainer_spec", "normalizer_spec", "denormalizer_spec"):
        if proto.HasField(part):
            getattr(fewer, part).CopyFrom(getattr(proto, part))
    fewer.pieces.extend(piece for piece, stays in zip(proto.pieces, keep, strict=True) if stays)
    fewer.trainer_spec.vocab_size = len(fewer.pieces)
    return fewer.SerializeToString(deterministic=True)


def _parse(model: bytes) -> Any:
    from google.protobuf.message import DecodeError

    try:
        return _messages().ModelProto.FromString(model)
    except DecodeError as error:
        raise XalignError("the sentencepiece model is damaged", found=error) from None


def _messages() -> Any:
    try:
        from sentencepiece import sentencepiece_model_pb2
    except Exception as error:  # protobuf is missing or older than these messages, and raises its own error
        remedy = "pip install -U protobuf"
        raise XalignError("reading a sentencepiece model needs protobuf", found=error, remedy=remedy) from None
    return sentencepiece_model_pb2
