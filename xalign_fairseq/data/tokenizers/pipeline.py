"""Hugging Face's tokenizers: a pipeline in ``tokenizer.json``, with the ids of fairseq's dictionary.

Byte-level BPE (ModernBERT), BPE with ▁ (mmBERT), unigram models (DeBERTa): the library ``tokenizers`` runs them
all and returns the characters of each token, which determine the words.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import require_form
from xalign_fairseq.data.tokenizers.dictionary import MASK, OVERWRITE, SPECIALS, Dictionary
from xalign_fairseq.data.tokenizers.tokenizer import Ragged, Tokenizer, flatten, named_if_no_unicode

# Characters that a line of dict.txt cannot contain, and the escape character.
_UNPRINTABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ufeff]")


@dataclass(frozen=True)
class TokenizerPipeline:
    """A ``tokenizer.json`` and its ids of fairseq's special symbols.

    Attributes:
        content: the file's content.
        special_ids: its ids of ``<s>``, ``<pad>``, ``</s>``, ``<unk>`` and ``<mask>``; one may stand for several.
        size: the number of ids.
    """

    content: str
    special_ids: tuple[int, int, int, int, int]
    size: int

    def to_state(self) -> dict[str, Any]:
        """Plain values, as checkpoints and JSON files hold them."""
        return {"content": self.content, "special_ids": list(self.special_ids), "size": self.size}

    @classmethod
    def from_state(cls, state: object, where: object = None) -> "TokenizerPipeline":
        """The pipeline from :meth:`to_state`'s result; :class:`XalignError` for other values."""
        state = require_form(state, dict[str, Any], where)
        if state.keys() != {"content", "special_ids", "size"}:
            raise XalignError("this is not a tokenizer pipeline", where=where, found=sorted(state))
        require_form(state["content"], str, where)
        require_form(state["size"], int, where)
        ids = require_form(state["special_ids"], list[int], where)
        if len(ids) != len(SPECIALS) + 1 or not all(0 <= each < state["size"] for each in ids):
            raise XalignError("the ids of special symbols are outside the tokenizer", where=where, found=ids)
        bos, pad, eos, unk, mask = ids
        return cls(state["content"], (bos, pad, eos, unk, mask), state["size"])

    @property
    def order(self) -> list[int]:
        """The library's id for each of our ids (V,), ``<mask>`` included: embeddings in our order are
        ``rows[order]``."""
        *specials, mask = self.special_ids
        taken = set(self.special_ids)
        return [*specials, *(i for i in range(self.size) if i not in taken), mask]

    def open(self, where: object = "tokenizer.json") -> Any:
        """The library's tokenizer, which treats special symbols in a text as text; XalignError if loading fails."""
        import tokenizers

        try:
            made = tokenizers.Tokenizer.from_str(self.content)
        except Exception as error:  # the library's error, or any error for damaged files
            found = str(error).split("\n")[0]
            raise XalignError("the file is not a tokenizer file", where=where, found=found) from None
        made.no_truncation()
        made.no_padding()
        made.encode_special_tokens = True
        return made

    def dictionary(self, where: object = "tokenizer.json") -> Dictionary:
        """The symbols by our ids: special ones first, the others in their order.

        Symbols that ``dict.txt`` cannot contain, such as line breaks, are escaped there.
        """
        made = self.open(where)
        seen = {*SPECIALS, MASK, ""}
        symbols = []
        for i in self.order[len(SPECIALS) : -1]:
            symbol = _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", made.id_to_token(i) or f"\\unused{i}")
            while symbol in seen or symbol.endswith(OVERWRITE):
                symbol = f"\\{symbol}"
            seen.add(symbol)
            symbols.append(symbol)
        return Dictionary(symbols)


class PipelineTokenizer(Tokenizer):
    """The ids that Hugging Face's tokenizer gives for a line, without special symbols around it."""

    def __init__(self, dictionary: Dictionary, pipeline: TokenizerPipeline):
        super().__init__()
        self.dictionary, self.pipeline = dictionary, pipeline
        order = pipeline.order
        if dictionary.embedding_size != len(order):
            found = f"{dictionary.embedding_size} and {len(order)} ids"
            raise XalignError("the dictionary does not belong to the tokenizer", found=found)
        self._pieces = pipeline.open()
        # An id of several symbols counts as <unk> of the text first.
        self._table = np.full(pipeline.size, dictionary.unk_index, dtype=np.int32)
        self._table[order] = np.arange(len(order))
        self._table[pipeline.special_ids[dictionary.unk_index]] = dictionary.unk_index

    @property
    def pair_separators(self) -> int:
        """The number of separators in the pipeline's pairs; at least one."""
        texts = self._pieces.encode("a", "b").sequence_ids  # None for tokens of neither text
        first, second = ([place for place, text in enumerate(texts) if text == number] for number in (0, 1))
        between = second[0] - first[-1] - 1 if first and second else 0
        return min(max(between, 1), 2)

    @property
    def model(self) -> TokenizerPipeline:
        return self.pipeline

    def encode_batch(self, lines: Sequence[str]) -> Ragged:
        flat, sizes = flatten([self._read(line).ids for line in lines])
        return self._table[flat], sizes

    def encode_words_batch(self, sentences: Sequence[Sequence[str]]) -> tuple[Ragged, Ragged]:
        """A token belongs to the word of its first letter; a token of spaces belongs to the word after it."""
        ids, index = [], []
        for words in sentences:
            line = " ".join(words)
            found, begin, _ = self.encode_with_offsets(line)
            ids.append(found)
            starts = np.cumsum([0, *(len(word) + 1 for word in words[:-1])]) if words else np.zeros(1, dtype=np.int64)
            index.append((np.searchsorted(starts, begin, side="right") - 1).astype(np.int32))
        return flatten(ids), flatten(index)

    def encode_with_offsets(self, text: str) -> tuple[list[int], np.ndarray, np.ndarray]:
        """The ids of :meth:`encode`, and the characters behind each: ``begin`` and ``end`` (N,) int64 in ``text``.

        The spaces before a word belong to no token: a token of spaces has an empty range where the next word begins.
        """
        encoded = self._read(text)
        begin, end = np.array(encoded.offsets, dtype=np.int64).reshape(-1, 2).T
        blank = np.array([character.isspace() for character in text], dtype=bool)
        begin = _next(~blank)[begin]
        # Characters that normalisation removes, such as a combined accent, belong to the token before them.
        following = np.append(begin[1:], len(text))
        end = np.maximum(end, np.minimum(following, _next(blank)[end]))
        return self._table[np.array(encoded.ids, dtype=np.int64)].tolist(), begin, np.maximum(begin, end)

    def _read(self, line: str) -> Any:
        with named_if_no_unicode([line]):
            return self._pieces.encode(line, add_special_tokens=False)

    def _encode_each(self, words: list[str]) -> list[list[int]]:
        return [self._read(word).ids for word in words]


def _next(wanted: np.ndarray) -> np.ndarray:
    """For each of N characters and the end of a text, (N + 1,): the next wanted place, itself included, or the end."""
    places = np.append(np.where(wanted, np.arange(len(wanted)), len(wanted)), len(wanted))
    return np.minimum.accumulate(places[::-1])[::-1]
