"""The pieces of a sentencepiece model's file, read and added to in protobuf's wire format, without protobuf.

A model file is a ``ModelProto`` of sentencepiece_model.proto: field 1, repeated, is a piece (1 text, 2 score as a
32-bit float, 3 type); field 2 is the trainer's specification, whose field 3 is the model's type; field 3 is the
normaliser's specification.
"""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xalign_fairseq.errors import XalignError

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
_MODEL_TYPES = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


@dataclass(frozen=True)
class Piece:
    """A piece of a model: its text, its log-probability, and what it is (:data:`NORMAL`, :data:`CONTROL` ...)."""

    text: str
    score: float
    type: int = NORMAL


@dataclass(frozen=True)
class Normalisation:
    """What a model does to text before it is cut.

    Attributes:
        charsmap: how characters are replaced, in sentencepiece's compiled form; empty if they stay.
        begins_words: whether every word begins with ▁, blanks at the ends go, and several become one, as by default.
    """

    charsmap: bytes
    begins_words: bool


def read_pieces(model: bytes) -> list[Piece]:
    """All pieces of a model in the order of their ids; ``model`` is one that sentencepiece has loaded.

    Example::

        read_pieces(Path("sentencepiece.model").read_bytes())[0]  # Piece("<unk>", 0.0, UNKNOWN)
    """
    return [_piece(value) for number, value in _fields(model) if number == 1]


def require_unigram(model: bytes, where: object) -> None:
    """Refuse a model that is no unigram one.

    Raises:
        XalignError: its type is BPE, word or char, so that scores alone do not decide on the segmentation.
    """
    kind = model_type(model)
    if kind != "unigram":
        raise XalignError(
            "the sentencepiece model can't be copied into another script",
            where=where,
            found=f"a {kind} model",
            expected="a unigram model, in which a twin's score makes it follow its original",
            next="train one with spm_train --model_type unigram, or with xalign prepare",
        )


def model_type(model: bytes) -> str:
    """``unigram``, ``bpe``, ``word`` or ``char``."""
    return _MODEL_TYPES[_number(_message(model, 2), 3, default=1)]


def read_normalisation(model: bytes) -> Normalisation:
    """How a model normalises text."""
    trainer, normaliser = _message(model, 2), _message(model, 3)
    adds_prefix, joins_blanks, marks_blanks = (_number(normaliser, number, default=1) for number in (3, 4, 5))
    marks_ends = _number(trainer, 24, default=0)  # ▁ ends words, instead of beginning them
    charsmap = next((value for number, value in _fields(normaliser) if number == 2), b"")
    begins = bool(adds_prefix and joins_blanks and marks_blanks and not marks_ends)
    return Normalisation(charsmap, begins)


def make_unigram(pieces: Iterable[Piece], charsmap: bytes) -> bytes:
    """A unigram model of these pieces, which normalises text by a charsmap and sentencepiece's other defaults.

    Example::

        specials = [Piece("<unk>", 0.0, UNKNOWN), Piece("<s>", 0.0, CONTROL), Piece("</s>", 0.0, CONTROL)]
        sentencepiece.SentencePieceProcessor(model_proto=make_unigram([*specials, Piece("▁a", -1.0)], b""))
    """
    trainer, normaliser = bytes([3 << 3 | _VARINT, 1]), _block(2, charsmap)
    return with_pieces(b"", pieces) + _block(2, trainer) + _block(3, normaliser)


def with_pieces(model: bytes, pieces: Iterable[Piece]) -> bytes:
    """The model with more pieces after its own: a repeated field may be continued at the end of a message."""
    return model + b"".join(_block(1, _serialised(piece)) for piece in pieces)


def _message(model: bytes, number: int) -> bytes:
    """A field that is a message; a repeated one is merged, as protobuf does."""
    return b"".join(value for each, value in _fields(model) if each == number)


def _number(message: bytes, number: int, default: int) -> int:
    """The last value of a field that is a number, else its default."""
    return next((_varint(value, 0)[0] for each, value in reversed(list(_fields(message))) if each == number), default)


def _piece(message: bytes) -> Piece:
    values = dict(_fields(message))
    (score,) = struct.unpack("<f", values.get(2, bytes(4)))
    return Piece(values.get(1, b"").decode("utf-8"), score, _varint(values[3], 0)[0] if 3 in values else NORMAL)


def _serialised(piece: Piece) -> bytes:
    score = bytes([2 << 3 | _FIXED32]) + struct.pack("<f", piece.score)
    return _block(1, piece.text.encode("utf-8")) + score + bytes([3 << 3 | _VARINT, piece.type])


def _block(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | _BYTES]) + _as_varint(len(content)) + content


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Field numbers and the bytes of their values."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind, end = tag & 7, at
        if kind == _VARINT:
            _, end = _varint(message, at)
        elif kind == _BYTES:
            size, at = _varint(message, at)
            end = at + size
        else:
            end = at + {_FIXED64: 8, _FIXED32: 4}[kind]
        yield tag >> 3, message[at:end]
        at = end


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """The number at a place, and the place after it."""
    number = shift = 0
    while message[at] & 0x80:
        number |= (message[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
    return number | message[at] << shift, at + 1


def _as_varint(number: int) -> bytes:
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    made.append(number)
    return bytes(made)
