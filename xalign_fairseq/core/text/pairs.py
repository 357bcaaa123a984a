"""Sentence pairs from two text files or from one ``src ||| tgt`` file: files checked before long work begins, or pipes
read as they come."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TypeAlias

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.lines import read_lines, split_words, text_lines

SEPARATOR = "|||"
STANDARD_INPUT = "-"
# So many words of both sides are held at once, however long the lines are.
WORDS_AT_ONCE = 400_000

Sentence: TypeAlias = str | Sequence[str]
WordPair = tuple[list[str], list[str]]


class SentencePairs:
    """The pairs of words of two files with equally many lines, or of one file of ``src ||| tgt`` lines.

    A line is split at white space into the words that links count; an empty line is an empty side, or of a pairs file
    a pair with both sides empty. The whole input is read once when the object is made, so that a bad line is found at
    once, and again at each iteration, so that a file of any length fits in memory.

    Raises:
        XalignError: a missing, empty or undecodable file, a pipe, line counts that differ (both are given), or a line
            of a pairs file that is not blank and lacks its one separator.

    Example::

        for src, tgt in SentencePairs("test.en", "test.de"):
            ...  # two lists of words
    """

    def __init__(self, src: StrPath, tgt: StrPath | None = None):
        self._src, self._tgt = src, tgt
        for path in (src, tgt):
            if path is not None and is_piped(path):
                raise XalignError(
                    "the text is read more than once, which a pipe does not allow",
                    where=path,
                    expected="a file",
                    remedy="write the text into a file first",
                )
        if tgt is None:
            self._length = sum(1 for _ in self)
            return
        lengths = [sum(1 for _ in read_lines(path)) for path in (src, tgt)]
        if lengths[0] != lengths[1]:
            raise _different_lengths(src, tgt, f"{lengths[0]} and {lengths[1]} lines")
        self._length = lengths[0]

    @property
    def paths(self) -> tuple[StrPath, ...]:
        """Source and target, or the one file of pairs."""
        return (self._src,) if self._tgt is None else (self._src, self._tgt)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[WordPair]:
        if self._tgt is None:
            yield from _split_pairs(read_lines(self._src), self._src)
        else:
            for src, tgt in zip(read_lines(self._src), read_lines(self._tgt), strict=True):
                yield split_words(src), split_words(tgt)


class PairStream:
    """The pairs of words of standard input (``-``, lines of ``src ||| tgt``) or of pipes, read once, as they come.

    Raises:
        XalignError: when the iteration gets there, what :class:`SentencePairs` finds beforehand; at once, standard
            input for one of two sides.

    Example::

        for src, tgt in PairStream("-"):
            ...  # two lists of words
    """

    def __init__(self, src: StrPath, tgt: StrPath | None = None):
        if tgt is not None and STANDARD_INPUT in (src, tgt):
            raise XalignError(
                "standard input can't be one of two sides",
                parameter="src" if src == STANDARD_INPUT else "tgt",
                found=STANDARD_INPUT,
                expected="a file, or both sides of each pair in one line",
                remedy=(
                    f"paste both into lines of 'source {SEPARATOR} target' and give them to",
                    Parameter("pairs", STANDARD_INPUT),
                ),
            )
        self._src, self._tgt = src, tgt

    def __iter__(self) -> Iterator[WordPair]:
        if self._tgt is None:
            name = "/dev/stdin" if self._src == STANDARD_INPUT else self._src
            yield from _split_pairs(_stream_lines(self._src), name)
            return
        sides = (_stream_lines(self._src), _stream_lines(self._tgt))
        for number, (src, tgt) in enumerate(zip_longest(*sides)):
            if src is None or tgt is None:
                ended = self._src if src is None else self._tgt
                raise _different_lengths(self._src, self._tgt, f"{ended} ends after {number} lines, the other goes on")
            yield split_words(src), split_words(tgt)


def open_pairs(src: StrPath, tgt: StrPath | None = None) -> SentencePairs | PairStream:
    """The pairs of files, checked; those of standard input (``-``) or a pipe as they come."""
    streamed = any(path is not None and is_piped(path) for path in (src, tgt))
    return PairStream(src, tgt) if streamed else SentencePairs(src, tgt)


def is_piped(path: StrPath) -> bool:
    """Whether the path is standard input (``-``), or there and neither a file nor a folder: it can be read once."""
    return path == STANDARD_INPUT or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path))


def chunks(pairs: Iterable[tuple[Sentence, Sentence]], most: int) -> Iterator[list[WordPair]]:
    """Yield the pairs as words, in order, up to ``most`` at a time, and fewer where lines are very long.

    Strings are split at white space; a chunk ends with the pair that brings it to ``WORDS_AT_ONCE`` words.

    Example::

        list(chunks([("a b", "c"), ("", "d"), ("e", "f")], 2))
        # [[(["a", "b"], ["c"]), ([], ["d"])], [(["e"], ["f"])]]
    """
    chunk: list[WordPair] = []
    words = 0
    for src, tgt in pairs:
        chunk.append((_words(src), _words(tgt)))
        words += len(chunk[-1][0]) + len(chunk[-1][1])
        if len(chunk) == most or words >= WORDS_AT_ONCE:
            yield chunk
            chunk, words = [], 0
    if chunk:
        yield chunk


def _words(sentence: Sentence) -> list[str]:
    return split_words(sentence) if isinstance(sentence, str) else list(sentence)


def _stream_lines(path: StrPath) -> Iterator[str]:
    if path == STANDARD_INPUT:
        yield from text_lines(sys.stdin.buffer, "/dev/stdin")
    elif not is_piped(path):
        yield from read_lines(path)
    else:
        with open(path, "rb") as stream:
            yield from text_lines(stream, path)


def _split_pairs(lines: Iterable[str], path: StrPath) -> Iterator[WordPair]:
    for number, line in enumerate(lines, 1):
        words = split_words(line) or [SEPARATOR]
        if words.count(SEPARATOR) != 1:
            raise XalignError(
                "a line of the pairs file is not a pair",
                where=f"{path}, line {number}",
                found=f"{words.count(SEPARATOR)} separators",
                expected=f"one {SEPARATOR} between blanks: source {SEPARATOR} target",
            )
        middle = words.index(SEPARATOR)
        yield words[:middle], words[middle + 1 :]


def _different_lengths(src: StrPath, tgt: StrPath, found: str) -> XalignError:
    return XalignError(
        "the two sides differ in their number of lines",
        where=f"{src}, {tgt}",
        found=found,
        expected="as many lines on both sides",
        remedy="look for a line break inside a sentence, or for a side that was filtered by itself",
    )
