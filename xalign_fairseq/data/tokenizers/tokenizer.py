"""Sentences to ids, with the word of each id: the interface of tokenizers, and sentencepiece's tokenizer."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, repeat
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import sentencepiece

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.lines import require_file, require_unicode
from xalign_fairseq.data.tokenizers.dictionary import SPECIALS, Dictionary
from xalign_fairseq.data.tokenizers.offsets import SPACE, pieces_with_offsets

SLOW = -1
CACHED_WORDS = 200_000

# Many ragged sequences: their concatenated elements (N,) and the length of each (sentences,).
Ragged: TypeAlias = tuple[np.ndarray, np.ndarray]


@contextmanager
def named_if_no_unicode(texts: Sequence[str]) -> Iterator[None]:
    """Turn a library's error for half of a surrogate pair into an error that names the text."""
    try:
        yield
    except (TypeError, RuntimeError):
        for text in texts:
            require_unicode(text, ascii(text[:60]))
        raise


class Tokenizer(ABC):
    """Turns text into ids, without ``<s>`` and ``</s>``; can be pickled.

    Attributes:
        dictionary: the ids.
        missing_pieces: the number of the tokenizer's symbols outside the dictionary; they become ``<unk>``.

    Example::

        tokenizer.encode("Hello world!")  # [35378, 8999, 38] with XLM-R's
        tokenizer.encode_words(["Hello", "world!"])  # the same ids, and [0, 1, 1]
    """

    dictionary: Dictionary
    missing_pieces: int = 0

    def __init__(self) -> None:
        self._words: dict[str, list[int]] = {}

    @property
    def pair_separators(self) -> int:
        """The number of ``</s>`` between the two texts of a pair, 1 or 2, by the model's authors; XLM-R has 2."""
        return 2

    @property
    @abstractmethod
    def model(self) -> Any:
        """The part that is stored next to the dictionary: a ``TokenizerModel``."""

    @abstractmethod
    def encode_batch(self, lines: Sequence[str]) -> Ragged:
        """The ids (N,) of many lines, int32, and the number of ids of each line (lines,)."""

    @abstractmethod
    def encode_words_batch(self, sentences: Sequence[Sequence[str]]) -> tuple[Ragged, Ragged]:
        """The ids of many sentences given as words, and the word of each id, in the form of :meth:`encode_batch`.

        The ids equal the ids of the whole line.
        """

    @abstractmethod
    def encode_with_offsets(self, text: str) -> tuple[list[int], np.ndarray, np.ndarray]:
        """The ids of :meth:`encode`, and the characters behind each: ``begin`` and ``end`` (N,) int64 in ``text``."""

    def encode(self, line: str) -> list[int]:
        """The ids of one line."""
        return self.encode_batch([line])[0].tolist()

    def encode_words(self, words: Sequence[str]) -> tuple[list[int], list[int]]:
        """The ids of words joined by spaces, and for each id the 0-based index of its word.

        A word of characters that the tokenizer removes has no id.
        """
        (ids, _), (index, _) = self.encode_words_batch([words])
        return ids.tolist(), index.tolist()

    @abstractmethod
    def _encode_each(self, words: list[str]) -> list[list[int]]:
        """The cached data of every word."""

    def _parts(self, words: Sequence[str]) -> list[list[int]]:
        """The result of :meth:`_encode_each` for the words; most words occur repeatedly."""
        known = self._words
        if len(known) > CACHED_WORDS:
            self._words = known = {}  # not emptied, because other threads may read it
        if new := [word for word in dict.fromkeys(words) if word not in known]:
            known.update(zip(new, self._encode_each(new), strict=True))
        return [known[word] for word in words]


class SentencePieceTokenizer(Tokenizer):
    """The ids of ``spm_encode`` followed by ``fairseq-preprocess``, without ``<s>`` and ``</s>``.

    Pieces are looked up in the dictionary by their text, so XLM-R's offset between sentencepiece's and fairseq's ids
    needs no rule. Pieces outside the dictionary become ``<unk>``. ``model`` is a path or a file's bytes; without a
    dictionary, it is the model's pieces.

    Raises:
        XalignError: not a sentencepiece model, or a dictionary that lacks more than half of the model's pieces.
    """

    def __init__(self, model: StrPath | bytes, dictionary: Dictionary | None = None):
        super().__init__()
        self._processor = load_sentencepiece(model)
        where = "the sentencepiece model" if isinstance(model, bytes) else os.fspath(model)
        pieces = pieces_of(self._processor, where)
        self.dictionary = dictionary_of_model(self._processor) if dictionary is None else dictionary
        self._table = self._id_table(pieces, where)
        # Whether sentencepiece treats a word as one word: only its first piece begins with ▁.
        self._usual: dict[str, bool] = {}
        self._words_have_own_pieces = all(p.startswith(SPACE) for p in self._processor.encode("a b", out_type=str)[:1])

    def encode_batch(self, lines: Sequence[str]) -> Ragged:
        return self._ids_of(lines, flatten(self._encode_each(list(lines))))

    def _ids_of(self, lines: Sequence[str], encoded: Ragged) -> Ragged:
        """Our ids from sentencepiece's ids."""
        pieces, sizes = encoded
        flat = self._table[pieces]
        slow = np.unique(np.repeat(np.arange(len(sizes)), sizes)[flat == SLOW]).tolist()
        if not slow:
            return flat, sizes
        sentences = np.split(flat, np.cumsum(sizes)[:-1])
        for i, texts in zip(slow, self._texts([lines[i] for i in slow]), strict=True):
            sentences[i] = np.array([self.dictionary.index(text) for text in texts], dtype=np.int32)
        return flatten(sentences)

    def encode_words_batch(self, sentences: Sequence[Sequence[str]]) -> tuple[Ragged, Ragged]:
        """A piece with ▁ begins a word if each word of the line, encoded alone, has exactly one such piece. Otherwise
        (normalisation splits or removes a word, or a piece spans two words) character positions determine the words.
        """
        if not self._words_have_own_pieces:
            problem = "the sentencepiece model does not begin every word with ▁, so words cannot be separated"
            raise XalignError(problem, remedy="use a model trained with add_dummy_prefix")
        lines = [" ".join(words) for words in sentences]
        pieces, lengths = by_line = flatten(self._encode_each(lines))
        ids, sizes = self._ids_of(lines, by_line)
        begun = np.concatenate([[0], np.cumsum(self._begins[pieces])])
        ends = np.cumsum(lengths, dtype=np.int64)
        before = begun[ends - lengths]
        words_there = np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences))
        easy = self._all_usual(sentences) & (begun[ends] - before == words_there) & (sizes == lengths)
        index = (begun[1:] - 1 - np.repeat(before, lengths)).astype(np.int32)
        if easy.all():
            return (ids, sizes), (index, lengths)
        parts = np.split(index, ends[:-1])
        for i in np.flatnonzero(~easy).tolist():
            whole, each = pieces[ends[i] - lengths[i] : ends[i]].tolist(), self._parts(sentences[i])
            if sizes[i] == len(whole) and list(chain.from_iterable(each)) == whole:
                counts = [len(part) for part in each]
            else:
                counts = self._lengths_by_characters(sentences[i], lines[i])
            parts[i] = np.repeat(np.arange(len(sentences[i]), dtype=np.int32), counts)
        return (ids, sizes), flatten(parts)

    def _all_usual(self, sentences: Sequence[Sequence[str]]) -> np.ndarray:
        """(sentences,) bool: the sentences in which every word has one ▁ piece; results are cached by word."""
        known = self._usual
        if len(known) > CACHED_WORDS:
            self._usual = known = {}  # not emptied, because other threads may read it
        new = list(set(chain.from_iterable(sentences)) - known.keys())
        pieces, sizes = flatten(self._encode_each(new))
        begun = np.concatenate([[0], np.cumsum(self._begins[pieces])])
        ends = np.cumsum(sizes, dtype=np.int64)
        starts = ends - sizes
        first = begun[np.minimum(starts + 1, ends)] - begun[starts]
        once = (begun[ends] - begun[starts] == 1) & (first == 1)
        known.update(zip(new, once.tolist(), strict=True))
        get = known.__getitem__
        return np.fromiter((all(map(get, words)) for words in sentences), dtype=bool, count=len(sentences))

    def encode_with_offsets(self, text: str) -> tuple[list[int], np.ndarray, np.ndarray]:
        """The space before a word belongs to no token, see :func:`.pieces_with_offsets`."""
        with named_if_no_unicode([text]):
            pieces, begin, end = pieces_with_offsets(self._processor, text)
        return [self.dictionary.index(piece) for piece in pieces], begin, end

    @property
    def model(self) -> bytes:
        """The content of the sentencepiece model's file."""
        return self._processor.serialized_model_proto()

    def _id_table(self, pieces: list[str], where: str) -> np.ndarray:
        """sentencepiece's id -> ours. ``SLOW`` marks pieces that need their text: unknown pieces, and pieces with
        whitespace, which fairseq splits."""
        size = len(pieces)
        self._begins = np.array([piece[:1] == SPACE for piece in pieces], dtype=bool)
        table = np.fromiter(map(self.dictionary.indices.get, pieces, repeat(-1)), np.int32, size)
        missing = int((table < 0).sum())
        table[table < 0] = self.dictionary.unk_index
        if "\n".join(pieces).split() != pieces:
            table[[i for i, piece in enumerate(pieces) if piece.split() != [piece]]] = SLOW
        table[self._processor.unk_id()] = SLOW
        if missing * 2 > size:
            raise XalignError(
                "the dictionary does not belong to the sentencepiece model",
                where=where,
                found=f"{missing} of the model's {size} pieces are missing in the dictionary",
                remedy="give the dict.txt that came with the model, or none: it is made from the model",
            )
        self.missing_pieces = missing
        return table

    def _texts(self, lines: Sequence[str]) -> list[list[str]]:
        """The ids that fairseq reads from ``spm_encode``'s output, where unknown pieces are text."""
        return [" ".join(pieces).split() for pieces in self._processor.encode(list(lines), out_type=str, num_threads=1)]

    def _encode_each(self, words: list[str]) -> list[list[int]]:
        with named_if_no_unicode(words):
            return self._processor.encode(words, out_type=int, num_threads=1)

    def _lengths_by_characters(self, words: Sequence[str], line: str) -> list[int]:
        """The number of ids of each word, if words encoded alone have other pieces than the line."""
        word_ends = np.cumsum([sum(map(len, texts)) for texts in self._texts(words)])
        piece_ends = np.cumsum([len(text) for text in self._texts([line])[0]])
        owners = np.minimum(np.searchsorted(word_ends, piece_ends), len(words) - 1)
        return np.bincount(owners, minlength=len(words)).tolist()


def load_sentencepiece(model: StrPath | bytes) -> sentencepiece.SentencePieceProcessor:
    """A sentencepiece model from a path or from its bytes; :class:`XalignError` if it isn't one."""
    where = f"{len(model)} bytes" if isinstance(model, bytes) else os.fspath(model)
    if not isinstance(model, bytes):
        require_file(model)
        model = Path(model).read_bytes()
    try:
        if not model:
            raise RuntimeError
        return sentencepiece.SentencePieceProcessor(model_proto=model)
    except RuntimeError:
        found = None if model else "nothing"
        raise XalignError("the file is not a sentencepiece model", where=where, found=found) from None


def dictionary_of_model(processor: sentencepiece.SentencePieceProcessor) -> Dictionary:
    """The dictionary of a model by XLM-R's recipe: its pieces in order, without the symbols that fairseq adds."""
    return Dictionary(piece for piece in pieces_of(processor, "the sentencepiece model") if piece not in SPECIALS)


def pieces_of(processor: sentencepiece.SentencePieceProcessor, where: object) -> list[str]:
    """The pieces of a model by their ids; :class:`XalignError` if one is not text, as in a damaged file.

    A line break, which no line of text and of ``dict.txt`` contains, becomes ``\\u000a``.
    """
    try:
        pieces: list[str] = processor.id_to_piece(list(range(processor.get_piece_size())))
    except UnicodeDecodeError as error:
        raise XalignError("the sentencepiece model is damaged", where=where, found=error) from None
    return [piece.replace("\n", "\\u000a") for piece in pieces]


def flatten(sequences: Sequence[Sequence[int] | np.ndarray]) -> Ragged:
    """The concatenated sequences and their lengths."""
    sizes = np.fromiter(map(len, sequences), dtype=np.int32, count=len(sequences))
    total = int(sizes.sum(dtype=np.int64))
    return np.fromiter(chain.from_iterable(sequences), dtype=np.int32, count=total), sizes
