"""A smaller tokenizer that cuts a given text into the same pieces (Abdaoui et al. 2020)."""

import unicodedata
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.progress import progress as progress_of
from xalign_fairseq.core.text.corpus import require_files, scan
from xalign_fairseq.data.tokenizers.dictionary import SPECIALS, Dictionary
from xalign_fairseq.data.tokenizers.model_proto import NORMAL, keep_pieces, model_type, read_pieces
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer, Tokenizer, load_sentencepiece
from xalign_fairseq.data.tokenizers.wordpiece import CONTINUES, LONGEST_WORD, WordPieceTokenizer, bert_ids

FLOOR = 2000
# Share of a text's letters; scripts with fewer letters count as quotations.
SCRIPT_SHARE = 1e-3
ALL_SCRIPTS = "all"


@dataclass(frozen=True)
class Trimmed:
    """A smaller tokenizer, and the old id of each of its ids, ``<mask>`` included: (V,) int64, ascending."""

    tokenizer: Tokenizer
    rows: np.ndarray


class Trimmer(ABC):
    """Reads text, then makes a tokenizer that cuts it into the same pieces and has few others.

    It keeps special symbols, all pieces of the text, other pieces that decide how the text is cut, single characters of
    these pieces, frequent pieces, digits, punctuation, and the letters of the text's scripts, which can spell other
    text. ``counts`` (V,) int64 is how often each id occurred in the text.
    """

    def __init__(self, tokenizer: Tokenizer):
        self._tokenizer, self._dictionary = tokenizer, tokenizer.dictionary
        self.counts = np.zeros(self._dictionary.embedding_size, dtype=np.int64)

    def read(self, lines: Sequence[str]) -> None:
        """Count the pieces of some lines of the text."""
        ids, sizes = self._tokenizer.encode_batch(lines)
        self.counts += np.bincount(ids, minlength=len(self.counts))
        unknown = np.unique(np.repeat(np.arange(len(lines)), sizes)[ids == self._dictionary.unk_index])
        self._use([lines[i] for i in unknown.tolist()])

    @abstractmethod
    def _use(self, lines: Sequence[str]) -> None:
        """Keep the pieces of lines with unknown ids."""

    def trim(self, floor: int = FLOOR) -> Trimmed:
        """The tokenizer of the kept pieces."""
        if floor < 0:
            raise XalignError("a number of pieces is below 0", parameter="floor", found=floor, expected="0 or more")
        keep = self.counts > 0
        keep[: len(SPECIALS)] = keep[self._dictionary.mask_index] = True
        keep[self._characters(keep)] = True
        keep[self._frequent()[:floor]] = True
        return Trimmed(self._kept(keep), np.flatnonzero(keep))

    def _characters(self, used: np.ndarray) -> list[int]:
        """The ids of the kept single characters."""
        letters: Counter[str] = Counter()
        seen: set[str] = set()
        for i in np.flatnonzero(used[: len(self._dictionary)]).tolist():
            text = self._text(i)
            seen.update(text)
            for character in text:
                letters[script(character)] += int(self.counts[i])
        for other in ("", ALL_SCRIPTS):
            letters.pop(other, None)
        least = SCRIPT_SHARE * letters.total()
        scripts = {ALL_SCRIPTS, *(name for name, count in letters.items() if count >= max(least, 1))}
        texts = ((i, self._text(i)) for i in range(len(SPECIALS), len(self._dictionary)))
        return [i for i, text in texts if len(text) == 1 and (text in seen or script(text) in scripts)]

    def _symbols(self, keep: np.ndarray) -> Dictionary:
        ids = [i for i in np.flatnonzero(keep).tolist() if len(SPECIALS) <= i < len(self._dictionary)]
        return Dictionary([self._dictionary.symbols[i] for i in ids], [self._dictionary.counts[i] for i in ids])

    @abstractmethod
    def _text(self, i: int) -> str:
        """The text of a piece, empty for special symbols."""

    @abstractmethod
    def _frequent(self) -> np.ndarray:
        """The ids of pieces, most frequent first."""

    @abstractmethod
    def _kept(self, keep: np.ndarray) -> Tokenizer:
        """The tokenizer of these ids and the ids it needs, which are added to ``keep``."""


class SentencePieceTrimmer(Trimmer):
    """In a unigram, word or char model the best segmentation stays best without other pieces, if the score of unknown
    characters stays the same: 10 below the lowest score of all pieces. A BPE model keeps all parts of a piece, since it
    is merged from some of them.
    """

    def __init__(self, tokenizer: SentencePieceTokenizer):
        super().__init__(tokenizer)
        self._model = tokenizer.model
        self._processor = load_sentencepiece(self._model)
        self._pieces = read_pieces(self._model)
        self._normal = np.array([piece.type == NORMAL for piece in self._pieces])
        self._scores = np.array([piece.score for piece in self._pieces])
        # Its id in the dictionary, or the id of <unk>.
        self._ids = np.array([self._dictionary.index(piece.text) for piece in self._pieces])
        # Pieces without an id: those that fairseq splits, and the text's pieces outside the dictionary.
        self._used = np.array([piece.text.split() != [piece.text] for piece in self._pieces])

    def _use(self, lines: Sequence[str]) -> None:
        for whole in self._processor.encode(list(lines), out_type=int, num_threads=1):
            self._used[whole] = True

    def _text(self, i: int) -> str:
        return "" if i < len(SPECIALS) else self._dictionary.symbols[i]

    def _frequent(self) -> np.ndarray:
        order = np.argsort(-self._scores, kind="stable")
        return self._ids[order[self._normal[order]]]

    def _kept(self, keep: np.ndarray) -> Tokenizer:
        known = self._ids != self._dictionary.unk_index
        stays = ~self._normal | self._used | (known & keep[self._ids])
        normal = np.flatnonzero(self._normal)
        if len(normal):
            stays[[normal[self._scores[normal].argmin()], normal[self._scores[normal].argmax()]]] = True
        if model_type(self._model) == "bpe":
            stays[self._parts(stays)] = True
        keep[self._ids[stays]] = True
        return SentencePieceTokenizer(keep_pieces(self._model, stays.tolist()), self._symbols(keep))

    def _parts(self, stays: np.ndarray) -> list[int]:
        place = {piece.text: i for i, piece in enumerate(self._pieces)}
        whole = [self._pieces[i].text for i in np.flatnonzero(stays).tolist()]
        parts = {text[i:j] for text in whole for i in range(len(text)) for j in range(i + 1, len(text) + 1)}
        return [place[text] for text in parts if text in place]


class WordPieceTrimmer(Trimmer):
    """The longest piece at each position of a word stays the longest without other pieces. The pieces of an unknown
    word stay too, up to the position where no piece fits: otherwise other pieces could spell it.
    """

    def __init__(self, tokenizer: WordPieceTokenizer):
        super().__init__(tokenizer)
        self._wordpiece = tokenizer
        self._used: set[int] = set()

    def _use(self, lines: Sequence[str]) -> None:
        for part in chain.from_iterable(map(self._wordpiece.parts, lines)):
            self._used.update(self._longest(part))

    def _longest(self, word: str) -> Iterable[int]:
        begin = 0
        while begin < len(word) <= LONGEST_WORD:
            mark = CONTINUES if begin else ""
            ends = (end for end in range(len(word), begin, -1) if mark + word[begin:end] in self._dictionary)
            end = next(ends, None)
            if end is None:
                return
            yield self._dictionary.index(mark + word[begin:end])
            begin = end

    def _text(self, i: int) -> str:
        return "" if i < len(SPECIALS) else self._dictionary.symbols[i].removeprefix(CONTINUES)

    def _frequent(self) -> np.ndarray:
        """BERT's symbols are ordered by frequency, after characters and unused places."""
        symbols = enumerate(self._dictionary.symbols)
        return np.array(
            [i for i, symbol in symbols if len(self._text(i)) > 1 and not symbol.startswith("[")], dtype=int
        )

    def _kept(self, keep: np.ndarray) -> Tokenizer:
        keep[list(self._used)] = True
        # At least one, which marks the dictionary as WordPiece's.
        keep[[symbol.startswith(CONTINUES) for symbol in self._dictionary.symbols].index(True)] = True
        dictionary, settings = self._dictionary, self._wordpiece.settings
        places = np.array(bert_ids(dictionary, settings))  # BERT's ids for our ids
        ranks = np.searchsorted(np.sort(places[keep]), [*places[: len(SPECIALS)], places[dictionary.mask_index]])
        ids = tuple(ranks.tolist())
        return WordPieceTokenizer(self._symbols(keep), replace(settings, special_ids=ids))


def make_trimmer(tokenizer: Tokenizer) -> Trimmer:
    if isinstance(tokenizer, WordPieceTokenizer):
        return WordPieceTrimmer(tokenizer)
    if isinstance(tokenizer, SentencePieceTokenizer):
        return SentencePieceTrimmer(tokenizer)
    found, expected = "a tokenizer.json of another kind than XLM-R's and BERT's", "a sentencepiece model or WordPiece"
    problem, remedy = "this kind of tokenizer can't be trimmed", "leave the trimming out"
    raise XalignError(problem, found=found, expected=expected, remedy=remedy)


def trim_to_files(
    tokenizer: Tokenizer, paths: Sequence[StrPath], floor: int = FLOOR, progress: bool = False
) -> Trimmed:
    require_files(paths, remedy="check the names of the text files")
    files = [scan(path) for path in paths]
    trimmer = make_trimmer(tokenizer)
    lines = sum(file.lines for file in files)
    with progress_of(total=lines, desc="pieces", unit=" lines", quiet=not progress) as bar:
        for part in (part for file in files for part in file.parts()):
            trimmer.read(part.read())
            bar.update(part.lines)
    return trimmer.trim(floor)


def script(character: str) -> str:
    """The first word of a letter's or mark's name in Unicode (LATIN, CJK, DEVANAGARI), which names its script.

    :data:`ALL_SCRIPTS` for digits and punctuation; empty for other signs.
    """
    kind = unicodedata.category(character)[0]
    if kind in "NP":
        return ALL_SCRIPTS
    return unicodedata.name(character, "").split(" ")[0] if kind in "LM" else ""
