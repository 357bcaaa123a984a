"""Transliteration: a language in its own script, tokenised by a copy of the natural language's vocabulary.

Every normal piece of a unigram sentencepiece model gets a twin in another script, with the same score. The model
segments a word, and the twins of its pieces, joined, are the derived word. Each segmentation of the derived word
corresponds to one of the natural word with the same score, so the model with the twins finds the twins of the natural
pieces. If pieces are shared, rounding can swap two segmentations of equal score in a
whole line: in 5 of 262,697 English lines with an overlap of 25 %, and in none without overlap.
"""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path

import numpy as np
import sentencepiece

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import StrPath, atomic_write
from xalign_fairseq.data.databin import DICTIONARY
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.data.tokenizers.model_proto import BYTE, NORMAL, Piece, read_pieces, require_unigram, with_pieces
from xalign_fairseq.data.tokenizers.offsets import SPACE
from xalign_fairseq.data.tokenizers.tokenizer import dictionary_of_model, load_sentencepiece
from xalign_fairseq.data.tokenizers.tokenizer_model import SENTENCEPIECE
from xalign_fairseq.languages.sentence import Sentence, unbroken

# Private use: planes 15 and 16 hold copies of planes 0 and 1, each character at its place in the plane. Characters of
# other planes go where plane 0 has surrogates, which are not characters.
_PLANE, _COPIES = 0x10000, 0xF0000
_OTHERS = range(_COPIES + 0xD800, _COPIES + 0xE000)

# Begins the copies of words whose natural pieces begin with a lone word boundary, and no others.
MARKER = chr(_COPIES + ord(SPACE))


def private_characters(characters: Iterable[str]) -> dict[str, str]:
    """A bijection from the given characters to the private-use planes 15 and 16."""
    natural = sorted(set(characters))
    others = iter(_OTHERS)
    table = {each: chr(_COPIES + ord(each) if ord(each) < 2 * _PLANE else next(others, 0)) for each in natural}
    taken = sorted(set(natural) & {*table.values(), MARKER})
    if taken or len(set(table.values())) < len(natural):
        found = f"{counted(len(taken), 'character')}, the first of them {ord(taken[0]):#x}" if taken else len(natural)
        problem = "the vocabulary already has characters of the derived script" if taken else "too many characters"
        expected = "no private-use character" if taken else f"{len(_OTHERS)} beyond Unicode's planes 0 and 1"
        remedy = ("give the natural language's own model as", Parameter("spm")) if taken else None
        raise XalignError(problem, found=found, expected=expected, remedy=remedy)
    return table


CACHED_WORDS = 1_000_000
BLANK, EMPTY = "words with a space within", "words that normalisation removes"


class Transliteration:
    """Writes every word in private-use characters; T_trans of ALIGN-MLM (appendix F).

    Both languages share special, control, user-defined and byte pieces. Characters that the model does not know do not
    change. A word whose normalised form has spaces within ("10 000" of CoNLL-U, "a¨b") has U+200B there, which the
    model reads as a space; a word whose normalised form is empty does not change, and has no pieces in either language.
    Both are counted in :attr:`counts`.

    Args:
        model: path of the natural language's sentencepiece model.
        overlap: percentage of the normal pieces that both languages share: exactly round(overlap N / 100) of the N
            pieces have no twin. They include the shared pieces of every smaller percentage.
        seed: seed for drawing the shared pieces.

    Raises:
        XalignError: not a unigram model; a piece that spans words; an overlap outside [0, 100]; a model that has
            the script's characters, or whose normalisation changes them.
    """

    def __init__(self, model: StrPath, overlap: float = 0, seed: int = 1):
        where = os.fspath(model)
        self._natural = load_sentencepiece(model)
        natural = self._natural.serialized_model_proto()
        require_unigram(natural, where)
        pieces = read_pieces(natural)
        normal = [piece.text for piece in pieces if piece.type == NORMAL]
        _require_words(self._natural.encode("a b", out_type=str), normal, where)
        shared = _drawn(normal, overlap, seed)
        table = private_characters(c for text in normal for c in text if c != SPACE)
        # ``▁`` stays before its copy, because it begins words in both languages.
        self.twins: dict[str, str] = {
            text: SPACE + MARKER if text == SPACE else "".join(table.get(letter, letter) for letter in text)
            for text in normal
            if text not in shared
        }
        self.counts: Counter[str] = Counter(
            {"pieces": len(normal), "twins": len(self.twins), "shared pieces": len(shared), BLANK: 0, EMPTY: 0}
        )
        extra = [Piece(self.twins[piece.text], piece.score) for piece in pieces if piece.text in self.twins]
        self.model = with_pieces(natural, extra)
        self._derived = load_sentencepiece(self.model)
        _require_fixed(self._natural, {*table.values(), MARKER}, where)
        self._has_bytes = any(piece.type == BYTE for piece in pieces)
        self._forms: dict[str, str] = {}
        self._odd: dict[str, str] = {}

    def __call__(self, sentence: Sentence, key: int) -> Sentence:
        """Write the words in the script; ``key`` is not used, because a word has one form everywhere."""
        forms, source = self._forms, sentence.source
        if len(forms) > CACHED_WORDS:
            forms.clear()
        for word in source:
            if word not in forms:
                forms[word] = self.form(word)
        if not self._odd.keys().isdisjoint(source):
            self.counts.update(self._odd[word] for word in source if word in self._odd)
        return sentence.rewritten([forms[source[i]] for i in sentence.order])

    def form(self, word: str) -> str:
        """How the derived language writes a word."""
        copy = "".join(self.twins.get(text, text) for text in self._texts(word)).removeprefix(SPACE)
        if not copy:
            self._odd[word] = EMPTY
            return word
        form = unbroken(copy, SPACE)
        if form != copy:
            self._odd[word] = BLANK
        return form

    @cached_property
    def dictionary(self) -> Dictionary:
        """The symbols of the natural language, then the twins, in the order of their originals."""
        return dictionary_of_model(self._derived)

    def save(self, folder: StrPath, src: str, tgt: str) -> None:
        """Write ``sentencepiece.model``, ``dict.txt`` and ``lexicon.SRC-TGT.tsv`` (``piece TAB twin`` lines)."""
        folder = Path(folder)
        with atomic_write(folder / SENTENCEPIECE, "wb") as stream:
            stream.write(self.model)
        self.dictionary.save(folder / DICTIONARY)
        with atomic_write(folder / f"lexicon.{src}-{tgt}.tsv") as stream:
            stream.writelines(f"{text}\t{twin}\n" for text, twin in self.twins.items())

    def _texts(self, word: str) -> list[str]:
        """The pieces of a word; a run of byte pieces is the text that the bytes make."""
        texts = self._natural.encode(word, out_type=str)
        if not self._has_bytes:
            return texts
        ids = self._natural.encode(word, out_type=int)
        joined: list[str] = []
        for is_byte, run in groupby(zip(ids, texts, strict=True), lambda each: self._natural.is_byte(each[0])):
            parts = [text for _, text in run]
            joined += [bytes(int(text[1:-1], 16) for text in parts).decode("utf-8")] if is_byte else parts
        return joined


def _drawn(normal: Sequence[str], overlap: float, seed: int) -> set[str]:
    """The pieces that both languages share."""
    if not 0 <= overlap <= 100:
        raise XalignError("the overlap is a percentage", parameter="overlap", found=overlap, expected="0 to 100")
    count = round(overlap * len(normal) / 100)
    return {normal[k] for k in np.random.default_rng(seed).permutation(len(normal))[:count]}


def _require_words(start: Sequence[str], normal: Sequence[str], where: str) -> None:
    """Raise :class:`XalignError` for pieces that span words."""
    across = [text for text in normal if SPACE in text[1:]]
    if across or not start[0].startswith(SPACE):
        raise XalignError(
            "the sentencepiece model's pieces span words",
            where=where,
            found=across[0] if across else start[0],
            remedy="use a model trained with add_dummy_prefix and split_by_whitespace, not treat_whitespace_as_suffix",
        )


def _require_fixed(processor: sentencepiece.SentencePieceProcessor, copies: Iterable[str], where: str) -> None:
    """Raise :class:`XalignError` if the model's normalisation changes the script."""
    text = "".join(sorted(copies))
    if processor.normalize(text) != SPACE + text:
        changed = "".join(c for c in text if processor.normalize(c) != SPACE + c)
        problem = "the model's normalisation changes characters of the script"
        raise XalignError(problem, where=where, found=ascii(changed))
