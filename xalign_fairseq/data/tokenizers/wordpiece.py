"""BERT's tokenizer: WordPiece over whitespace and punctuation, with the ids of fairseq's dictionary."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
import tokenizers

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.tokenizers.dictionary import BOS, EOS, MASK, PAD, SPECIALS, UNK, Dictionary
from xalign_fairseq.data.tokenizers.tokenizer import Ragged, Tokenizer, flatten, named_if_no_unicode

CONTINUES = "##"
LONGEST_WORD = 100  # characters; BERT reads a longer word as unknown
# BERT's names of fairseq's special symbols, in the order of their ids there.
BERT_SPECIALS = {BOS: "[CLS]", PAD: "[PAD]", EOS: "[SEP]", UNK: "[UNK]", MASK: "[MASK]"}
# BERT removes these control characters; str.split() treats them as spaces.
REMOVED_BLANKS = re.compile(r"[\x0b\x0c\x1c-\x1f\x85]")


@dataclass(frozen=True)
class WordPieceSettings:
    """BERT's text normalisation, and the ids of its special symbols.

    Attributes:
        lowercase: text is lowercased (uncased models).
        strip_accents: accents are removed; None: as ``lowercase``.
        chinese_chars: every Chinese character is a separate word.
        special_ids: BERT's ids of [CLS], [PAD], [SEP], [UNK] and [MASK]; the other symbols keep their order. By default
            multilingual BERT's.
    """

    lowercase: bool = False
    strip_accents: bool | None = None
    chinese_chars: bool = True
    special_ids: tuple[int, int, int, int, int] = (101, 0, 102, 100, 103)

    def to_state(self) -> dict[str, Any]:
        """Plain values, as checkpoints and JSON files hold them."""
        return {**asdict(self), "special_ids": list(self.special_ids)}

    @classmethod
    def from_state(cls, state: object, where: object = None) -> "WordPieceSettings":
        """The settings from :meth:`to_state`'s result; :class:`XalignError` for other values."""
        kinds = dict(lowercase=bool, strip_accents=bool | None, chinese_chars=bool, special_ids=list)
        if (
            not isinstance(state, dict)
            or state.keys() != kinds.keys()
            or not all(isinstance(state[name], kind) for name, kind in kinds.items())
            or not all(isinstance(each, int) and each >= 0 for each in state["special_ids"])
            or not len(state["special_ids"]) == len(set(state["special_ids"])) == len(BERT_SPECIALS)
        ):
            raise XalignError(
                "these are not settings of WordPiece", where=where, found=state, expected=", ".join(kinds)
            )
        return cls(**{**state, "special_ids": tuple(state["special_ids"])})


class WordPieceTokenizer(Tokenizer):
    """BERT's tokenizer: text is cleaned and split at spaces and punctuation, then each part into the longest known
    pieces from the left (Wu et al. 2016). A part that pieces cannot spell is one ``<unk>``.

    The dictionary holds WordPiece's symbols, ``##ing`` for pieces that continue a word, and fairseq's special symbols
    for BERT's. Names of special symbols in a text are plain text.

    Raises:
        XalignError: the dictionary is not WordPiece's.
    """

    def __init__(self, dictionary: Dictionary, settings: WordPieceSettings):
        super().__init__()
        self.dictionary, self.settings = dictionary, settings
        if not any(symbol.startswith(CONTINUES) for symbol in dictionary.symbols):
            found = f"{len(dictionary)} symbols; no symbol begins with {CONTINUES}"
            remedy = "give the dict.txt that came with the model"
            raise XalignError("the dictionary is not WordPiece's", found=found, remedy=remedy)
        self._pieces = wordpiece(dictionary.indices, UNK, settings)

    @property
    def pair_separators(self) -> int:
        return 1

    @property
    def model(self) -> WordPieceSettings:
        return self.settings

    def encode_batch(self, lines: Sequence[str]) -> Ragged:
        return self.encode_words_batch([REMOVED_BLANKS.sub("", line).split() for line in lines])[0]

    def encode_words_batch(self, sentences: Sequence[Sequence[str]]) -> tuple[Ragged, Ragged]:
        """BERT's rules do not cross spaces, so the words' ids are the line's ids."""
        parts = iter(self._parts(list(chain.from_iterable(sentences))))
        ids: list[list[int]] = []
        index: list[np.ndarray] = []
        for words in sentences:
            mine = list(islice(parts, len(words)))
            ids.append(list(chain.from_iterable(mine)))
            index.append(np.repeat(np.arange(len(words), dtype=np.int32), [len(part) for part in mine]))
        return flatten(ids), flatten(index)

    def encode_with_offsets(self, text: str) -> tuple[list[int], np.ndarray, np.ndarray]:
        with named_if_no_unicode([text]):
            encoded = self._pieces.encode(text)
        begin, end = np.array(encoded.offsets, dtype=np.int64).reshape(-1, 2).T
        return encoded.ids, begin, end

    def _encode_each(self, words: list[str]) -> list[list[int]]:
        with named_if_no_unicode(words):
            return [self._pieces.encode(word).ids for word in words]


def wordpiece(ids: dict[str, int], unknown: str, settings: WordPieceSettings) -> tokenizers.Tokenizer:
    """The library's tokenizer of a vocabulary, without special tokens around a text."""
    model = tokenizers.models.WordPiece(ids, unk_token=unknown, max_input_chars_per_word=LONGEST_WORD)
    made = tokenizers.Tokenizer(model)
    made.normalizer = tokenizers.normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=settings.chinese_chars,
        strip_accents=settings.strip_accents,
        lowercase=settings.lowercase,
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    return made


def from_vocabulary(
    symbols: Sequence[str],
    *,
    lowercase: bool,
    strip_accents: bool | None = None,
    chinese_chars: bool = True,
    where: object = None,
) -> tuple[Dictionary, WordPieceSettings]:
    """The dictionary and settings of a BERT with these symbols in the order of its ids (the lines of ``vocab.txt``).

    [CLS], [PAD], [SEP] and [UNK] become fairseq's first four ids, [MASK] its last, which is not in the file; the other
    symbols keep their order.

    Raises:
        XalignError: a special symbol is missing or occurs twice, or a symbol cannot be in ``dict.txt``.
    """
    places = {name: [i for i, symbol in enumerate(symbols) if symbol == name] for name in BERT_SPECIALS.values()}
    wrong = [f"{name} {len(found)} times" for name, found in places.items() if len(found) != 1]
    if wrong:
        expected = f"each of {' '.join(BERT_SPECIALS.values())} once"
        raise XalignError("the vocabulary is not BERT's", where=where, found=", ".join(wrong), expected=expected)
    cls_, pad, sep, unk, mask = (found[0] for found in places.values())
    special_ids = (cls_, pad, sep, unk, mask)
    rest = [symbol for i, symbol in enumerate(symbols) if i not in special_ids]
    seen = {*SPECIALS, MASK, ""}
    for symbol in rest:
        if symbol in seen or "\n" in symbol:
            problem = "a symbol of the vocabulary is invalid in fairseq's dictionary, or repeated"
            raise XalignError(problem, where=where, found=repr(symbol))
        seen.add(symbol)
    return Dictionary(rest), WordPieceSettings(lowercase, strip_accents, chinese_chars, special_ids)


def bert_ids(dictionary: Dictionary, settings: WordPieceSettings) -> list[int]:
    """BERT's id for each of our ids (V,), ``<mask>`` included: embeddings in our order are ``rows[bert_ids]``."""
    size, taken = dictionary.embedding_size, set(settings.special_ids)
    if max(taken) >= size:
        found, expected = f"{size} ids", f"more than {max(taken)}, the place of a special symbol"
        raise XalignError("the dictionary does not belong to the settings of WordPiece", found=found, expected=expected)
    *specials, mask = settings.special_ids
    return [*specials, *(i for i in range(size) if i not in taken), mask]


def to_vocabulary(dictionary: Dictionary, settings: WordPieceSettings) -> list[str]:
    """The symbols by BERT's names in the order of BERT's ids: the lines of ``vocab.txt``."""
    symbols = [*dictionary.symbols, MASK]
    by_id = dict(zip(bert_ids(dictionary, settings), symbols, strict=True))
    return [BERT_SPECIALS.get(by_id[i], by_id[i]) for i in range(len(by_id))]
