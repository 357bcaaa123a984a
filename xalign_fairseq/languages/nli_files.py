"""Pairs of texts in derived languages (XNLI, PAWS-X): both texts are derived separately, and the label stays."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from xalign_fairseq.core.files import StrPath
from xalign_fairseq.data.labelled.examples import PairExample
from xalign_fairseq.data.labelled.sentence_pairs import quote, read_pairs
from xalign_fairseq.languages.sentence import Sentence, SyntaxTree, Transformation


def words_and_marks(text: str) -> list[str]:
    """Words of a raw text in a language with spaces; sentence marks are separate words.

    A word ends at white space; punctuation and symbols (Unicode's categories P and S) at its beginning and end are
    separate words; a repeated mark is one word. Marks inside a word stay: ``don't``, ``3.5``, ``U.S``.
    """
    words: list[str] = []
    for token in text.split():
        inside = [k for k, character in enumerate(token) if not _is_mark(character)]
        start, end = (inside[0], inside[-1] + 1) if inside else (len(token), len(token))
        words += _runs(token[:start])
        words += [token[start:end]] if inside else []
        words += _runs(token[end:])
    return words


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _runs(marks: str) -> list[str]:
    return ["".join(run) for _, run in groupby(marks)]


def read(path: StrPath, language: str) -> list[PairExample]:
    """Read pairs of texts as words (:func:`words_and_marks`), with labels of a column or of ``{split}.labels``.

    Raises:
        XalignError: rows differ in their number of columns, or labels and pairs in number; the error has file and line.
    """
    return [
        replace(pair, first=" ".join(words_and_marks(pair.first)), second=" ".join(words_and_marks(pair.second)))
        for pair in read_pairs(path, language)
    ]


def sentences(pairs: Iterable[PairExample]) -> list[list[str]]:
    """The words of all texts, the first and the second of each pair in turn; a text's number is its key."""
    return [text.split(" ") if text else [] for pair in pairs for text in (pair.first, pair.second)]


def derive(
    pairs: Iterable[PairExample], transform: Transformation, trees: Sequence[SyntaxTree] | None = None
) -> tuple[list[PairExample], dict[str, int]]:
    """The derived pairs with their labels, and the number of ``empty`` texts."""
    derived: list[PairExample] = []
    for number, pair in enumerate(pairs):
        texts = [
            " ".join(transform(Sentence.natural(words, trees[key] if trees else None), key).forms)
            for key, words in enumerate(sentences([pair]), 2 * number)
        ]
        derived.append(replace(pair, first=texts[0], second=texts[1]))
    return derived, {"empty": sum(not text for pair in derived for text in (pair.first, pair.second))}


def lines(pairs: Iterable[PairExample]) -> Iterator[str]:
    """The lines of a file for :func:`read`, in XTREME's format: two texts, and the label if there is one."""
    for pair in pairs:
        yield "\t".join([quote(pair.first), quote(pair.second), *([] if pair.label is None else [pair.label])])
