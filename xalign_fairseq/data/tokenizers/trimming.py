"""A smaller tokenizer that cuts a given text into the same pieces (Abdaoui et al. 2020)."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.progress import progress
from xalign_fairseq.core.text.corpus import require_files, scan
from xalign_fairseq.data.tokenizers.dictionary import SPECIALS, Dictionary
from xalign_fairseq.data.tokenizers.model_proto import NORMAL, keep_pieces, model_type, read_pieces
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer, Tokenizer, load_sentencepiece
from xalign_fairseq.data.tokenizers.wordpiece import WordPieceTokenizer

FLOOR = 2000
# Share of a text's letters; scripts with fewer letters count as quotations.
SCRIPT_SHARE = 1e-3
ALL_SCRIPTS = "all"


@dataclass(frozen=True)
class Trimmed:
    """A smaller tokenizer, and the old id of each of its ids, ``<mask>`` included: (V,) int64, ascending."""

    tokenizer: Tokenizer
    rows: np.ndarray


class Trimmer:
    """Reads text, then makes a tokenizer that cuts it into the same pieces and has few others.

    It keeps special symbols, all pieces of the text, single characters of these pieces, frequent pieces, digits,
    punctuation, and the letters of the text's scripts, which can spell other text. ``counts`` (V,) int64 is how often
    each id occurred in the text.

    The best segmentation of a unigram model stays best without other pieces, if the score of unknown characters stays
    the same: 10 below the lowest score of all pieces.

    Raises:
        XalignError: the tokenizer is not a sentencepiece unigram model.
    """

    def __init__(self, tokenizer: Tokenizer):
        self._tokenizer, self._dictionary = tokenizer, tokenizer.dictionary
        self._model = _unigram(tokenizer)
        self._processor = load_sentencepiece(self._model)
        self.counts = np.zeros(self._dictionary.embedding_size, dtype=np.int64)
        self._pieces = read_pieces(self._model)
        self._normal = np.array([piece.type == NORMAL for piece in self._pieces])
        self._scores = np.array([piece.score for piece in self._pieces])
        # Its id in the dictionary, or the id of <unk>.
        self._ids = np.array([self._dictionary.index(piece.text) for piece in self._pieces])
        # Pieces without an id: those that fairseq splits, and the text's pieces outside the dictionary.
        self._used = np.array([piece.text.split() != [piece.text] for piece in self._pieces])

    def read(self, lines: Sequence[str]) -> None:
        """Count the pieces of some lines of the text."""
        ids, sizes = self._tokenizer.encode_batch(lines)
        self.counts += np.bincount(ids, minlength=len(self.counts))
        unknown = np.unique(np.repeat(np.arange(len(lines)), sizes)[ids == self._dictionary.unk_index])
        for whole in self._processor.encode([lines[i] for i in unknown.tolist()], out_type=int, num_threads=1):
            self._used[whole] = True

    def trim(self, floor: int = FLOOR) -> Trimmed:
        """The tokenizer of the kept pieces."""
        if floor < 0:
            raise XalignError("a number of pieces is below 0", parameter="floor", found=floor, expected="0 or more")
        keep = self.counts > 0
        keep[: len(SPECIALS)] = keep[self._dictionary.mask_index] = True
        keep[self._characters(keep)] = True
        frequent = np.argsort(-self._scores, kind="stable")
        keep[self._ids[frequent[self._normal[frequent]]][:floor]] = True
        known = self._ids != self._dictionary.unk_index
        stays = ~self._normal | self._used | (known & keep[self._ids])
        normal = np.flatnonzero(self._normal)
        if len(normal):
            stays[[normal[self._scores[normal].argmin()], normal[self._scores[normal].argmax()]]] = True
        keep[self._ids[stays]] = True
        ids = [i for i in np.flatnonzero(keep).tolist() if len(SPECIALS) <= i < len(self._dictionary)]
        symbols = Dictionary([self._dictionary.symbols[i] for i in ids], [self._dictionary.counts[i] for i in ids])
        small = SentencePieceTokenizer(keep_pieces(self._model, stays.tolist()), symbols)
        return Trimmed(small, np.flatnonzero(keep))

    def _characters(self, used: np.ndarray) -> list[int]:
        """The ids of the kept single characters."""
        texts = list(enumerate(self._dictionary.symbols))[len(SPECIALS) :]
        letters: Counter[str] = Counter()
        seen: set[str] = set()
        for i, text in texts:
            if used[i]:
                seen.update(text)
                for character in text:
                    letters[script(character)] += int(self.counts[i])
        for other in ("", ALL_SCRIPTS):
            letters.pop(other, None)
        least = SCRIPT_SHARE * letters.total()
        scripts = {ALL_SCRIPTS, *(name for name, count in letters.items() if count >= max(least, 1))}
        return [i for i, text in texts if len(text) == 1 and (text in seen or script(text) in scripts)]


def _unigram(tokenizer: Tokenizer) -> bytes:
    """The unigram model of a tokenizer; an error for another kind."""
    if isinstance(tokenizer, SentencePieceTokenizer):
        kind = f"a {model_type(tokenizer.model)} model"
        if kind == "a unigram model":
            return tokenizer.model
    else:
        kind = "WordPiece" if isinstance(tokenizer, WordPieceTokenizer) else "a tokenizer.json"
    problem, remedy = "this kind of tokenizer can't be trimmed", "do not trim it"
    raise XalignError(problem, found=kind, expected="a sentencepiece unigram model, such as XLM-R's", remedy=remedy)


def trim_to_files(tokenizer: Tokenizer, paths: Sequence[StrPath], floor: int = FLOOR, quiet: bool = False) -> Trimmed:
    require_files(paths, remedy="check the names of the text files")
    files = [scan(path) for path in paths]
    trimmer = Trimmer(tokenizer)
    lines = sum(file.lines for file in files)
    with progress(total=lines, desc="pieces", unit=" lines", quiet=quiet) as bar:
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
