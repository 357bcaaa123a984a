"""The pieces and the normaliser of a sentencepiece model's file, by the messages that sentencepiece ships.

``sentencepiece.sentencepiece_model_pb2`` needs protobuf, which sentencepiece itself does not. Cutting text never asks
for it; the export to Hugging Face's files, the import of a ``tokenizer.json`` and derived scripts do.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import sentencepiece

from xalign_fairseq.errors import XalignError

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6  # ModelProto.SentencePiece.Type


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
    return [Piece(each.piece, each.score, each.type) for each in _parse(model).pieces]


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
    trainer = _parse(model).trainer_spec
    return trainer.ModelType.Name(trainer.model_type).lower()


def read_normalisation(model: bytes) -> Normalisation:
    """How a model normalises text."""
    proto = _parse(model)
    normaliser = proto.normalizer_spec
    begins = normaliser.add_dummy_prefix and normaliser.remove_extra_whitespaces and normaliser.escape_whitespaces
    # treat_whitespace_as_suffix: ▁ ends words, instead of beginning them.
    return Normalisation(normaliser.precompiled_charsmap, begins and not proto.trainer_spec.treat_whitespace_as_suffix)


def rule_charsmap(name: str) -> bytes:
    """The charsmap of one of sentencepiece's own normalisations.

    Example::

        make_unigram(pieces, rule_charsmap("nmt_nfkc"))  # sentencepiece's default, and XLM-R's
    """
    rules = sentencepiece.SentencePieceNormalizer(rule_name=name)
    return read_normalisation(rules.serialized_model_proto()).charsmap


def make_unigram(pieces: Iterable[Piece], charsmap: bytes) -> bytes:
    """A unigram model of these pieces, which normalises text by a charsmap and sentencepiece's other defaults.

    Example::

        specials = [Piece("<unk>", 0.0, UNKNOWN), Piece("<s>", 0.0, CONTROL), Piece("</s>", 0.0, CONTROL)]
        sentencepiece.SentencePieceProcessor(model_proto=make_unigram([*specials, Piece("▁a", -1.0)], b""))
    """
    proto = _messages().ModelProto()
    proto.trainer_spec.model_type = proto.trainer_spec.UNIGRAM
    proto.normalizer_spec.precompiled_charsmap = charsmap
    return _extended(proto, pieces)


def with_pieces(model: bytes, pieces: Iterable[Piece]) -> bytes:
    """The model with more pieces after its own; all else in it stays, fields unknown to these messages too."""
    return _extended(_parse(model), pieces)


def _extended(proto: Any, pieces: Iterable[Piece]) -> bytes:
    for piece in pieces:
        proto.pieces.add(piece=piece.text, score=piece.score, type=piece.type)
    return proto.SerializeToString(deterministic=True)


def _parse(model: bytes) -> Any:
    return _messages().ModelProto.FromString(model)


def _messages() -> Any:
    try:
        from sentencepiece import sentencepiece_model_pb2
    except Exception as error:  # protobuf is not there, or older than these messages: an error of its own
        raise XalignError("sentencepiece's models are taken apart by protobuf", found=error,
                          next="pip install -U protobuf") from None  # fmt: skip
    return sentencepiece_model_pb2
