"""The units that words are counted by: tokens, their first letters, or sentencepiece's pieces of them."""

import io
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

import sentencepiece

from xalign_fairseq.aligner.statistical.tokens import tokens_of
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.tokenizers.tokenizer import CACHED_WORDS

# Units of a sentence, and the index of the word that each comes from.
Cut = tuple[list[str], list[int]]
PREFIX = "prefix"
TYPES = {"pieces": "bpe", "unigram": "unigram"}
"""Of sentencepiece's models, by the names of their units."""


class Units(Protocol):
    """How one side of a text is cut."""

    @property
    def model(self) -> bytes:
        """What must be stored of it; empty where the name says all."""

    def of(self, token: str) -> list[str]:
        """The units of a token, one at least."""


class Prefixes:
    """The first ``length`` letters of a token (Fraser and Marcu, 2005); 0: the whole of it."""

    model = b""

    def __init__(self, length: int = 0):
        self._length = length

    def of(self, token: str) -> list[str]:
        """One unit."""
        return [token[: self._length] if self._length else token]


class Pieces:
    """Sentencepiece's pieces of a token, by merges (Sennrich et al., 2016) or by a unigram model (Kudo, 2018)."""

    def __init__(self, model: bytes):
        self.model = model
        self._processor = sentencepiece.SentencePieceProcessor(model_proto=model)

    @classmethod
    def learn(cls, tokens: Iterable[str], size: int, model_type: str) -> "Pieces":
        """From the tokens of one side; fewer than ``size`` pieces if its text is small."""
        counts = Counter(tokens)
        stream = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(f"{token}\t{count}" for token, count in sorted(counts.items())),
            input_format="tsv",
            model_writer=stream,
            model_type=model_type,
            vocab_size=max(size, len({character for token in counts for character in token}) + 10),
            hard_vocab_limit=False,
            character_coverage=1.0,
            normalization_rule_name="identity",
            num_threads=1,
            minloglevel=2,
        )
        return cls(stream.getvalue())

    def of(self, token: str) -> list[str]:
        """Its pieces."""
        return self._processor.encode(token, out_type=str) or [token]


def make_units(name: str, sentences: Iterable[Sequence[str]], model: bytes | None = None) -> Units:
    """The units of a name: ``word``, ``prefixN``, ``piecesN`` (byte-pair merges) or ``unigramN``.

    Args:
        name: of the units.
        sentences: one side of the text, words; read for pieces that are not stored yet.
        model: what is stored of it.

    Raises:
        XalignError: no such units.

    Example::

        make_units("prefix4", []).of("houses")  # ["hous"]
    """
    if name == "word":
        return Prefixes()
    kind, size = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
    if kind not in (PREFIX, *TYPES) or not size or int(size) < 1:
        raise XalignError("there are no such units", found=name, expected="word, prefixN, piecesN or unigramN")
    if kind == PREFIX:
        return Prefixes(int(size))
    if model:
        return Pieces(model)
    tokens = (token for words in sentences for word in words for token in tokens_of(word))
    return Pieces.learn(tokens, int(size), TYPES[kind])


class Cutter:
    """Cuts sentences by units, remembering words: no more than some, so that memory does not grow with the text.

    Example::

        Cutter(make_units("prefix4", []))(["Houses", "fall."])  # (["hous", "fall", "."], [0, 1, 1])
    """

    def __init__(self, units: Units):
        self.units = units
        self._known: dict[str, list[str]] = {}

    def __call__(self, words: Sequence[str]) -> Cut:
        units: list[str] = []
        owners: list[int] = []
        if len(self._known) > CACHED_WORDS:
            self._known.clear()
        for place, word in enumerate(words):
            if word not in self._known:
                self._known[word] = [unit for token in tokens_of(word) for unit in self.units.of(token)]
            units += self._known[word]
            owners += [place] * len(self._known[word])
        return units, owners
