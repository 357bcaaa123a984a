"""Sentence pairs from two text files or from one ``src ||| tgt`` file: files checked before long work begins, or pipes
read as they arrive."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from mmap import ACCESS_READ, mmap
from tempfile import TemporaryFile
from typing import Protocol, TypeAlias

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import Command, Parameter, XalignError, check_values
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.limits import LiveStream
from xalign_fairseq.core.text.lines import different_lengths, read_lines, split_words, text_lines
from xalign_fairseq.core.text.segmentation import Segmenter, find_segmenter
from xalign_fairseq.core.text.segmented import SegmentedText

SEPARATOR = "|||"
MARKUP = re.compile(r"\s*<((\?xml|!doctype|xliff)\b|html[^<>]*>\s*$)", re.IGNORECASE)  # how a file of markup begins
STANDARD_INPUT = "-"
# Approximate maximum of words, of both sides, in a chunk.
WORDS_AT_ONCE = 400_000

_SEPARATOR = re.compile(rf"(?<!\S){re.escape(SEPARATOR)}(?!\S)")

Sentence: TypeAlias = str | Sequence[str]
WordPair = tuple[Sequence[str], Sequence[str]]
Split = Callable[[str], Sequence[str]]  # from a line to its words
AT_SPACES: tuple[Split, Split] = (split_words, split_words)


class SentencePairs:
    """The sentence pairs, as words, of two files with equally many lines or of one file of ``src ||| tgt`` lines.

    A line is split into words, by default at white space. An empty line is an empty side, or in a pairs file a pair
    with two empty sides. The constructor reads the whole input once to find bad lines. Each iteration reads it again,
    so memory does not depend on the length of the files.

    Args:
        src, tgt: the files of both sides, or one file of pairs.
        split: splits a line of either side into words (:func:`~xalign_fairseq.core.text.segmentation.find_segmenters`).

    Raises:
        XalignError: a missing, empty or undecodable file, a pipe, different line counts (both are given), or a
            non-empty line of a pairs file without exactly one separator.
    """

    def __init__(self, src: StrPath, tgt: StrPath | None = None, split: tuple[Split, Split] = AT_SPACES):
        self._src, self._tgt, self._split = src, tgt, split
        for path in (src, tgt):
            if path is not None and is_piped(path):
                raise XalignError("the text is read more than once, so it can't be a pipe", where=path)
        if tgt is None:
            self._length = sum(1 for _ in _split_pairs(read_lines(self._src), self._src, AT_SPACES))
            return
        self._length, other = (sum(1 for _ in plain(read_lines(path), path)) for path in (src, tgt))
        if self._length != other:
            raise different_lengths(src, tgt, (self._length, other))

    @property
    def paths(self) -> tuple[StrPath, ...]:
        """Source and target, or the one file of pairs."""
        return (self._src,) if self._tgt is None else (self._src, self._tgt)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[WordPair]:
        if self._tgt is None:
            yield from _split_pairs(read_lines(self._src), self._src, self._split)
        else:
            one, other = self._split
            for src, tgt in zip(read_lines(self._src), read_lines(self._tgt), strict=True):
                yield one(src), other(tgt)


class PairedText(Protocol):
    """Sentence pairs, as words, that can be read several times and counted."""

    def __len__(self) -> int:
        """Pairs."""

    def __iter__(self) -> Iterator[WordPair]:
        """Each pair, the same in each iteration."""


class SpreadPairs:
    """At most ``most`` pairs of a text, evenly spread and always the same."""

    def __init__(self, text: PairedText, most: int):
        check_values("there is nothing to learn from", ("learn_from", most, most >= 1, "1 or more"))
        self._text, self._most = text, min(most, len(text))

    def __len__(self) -> int:
        return self._most

    def __iter__(self) -> Iterator[WordPair]:
        for number, pair in enumerate(self._text):
            if (number + 1) * self._most // len(self._text) > number * self._most // len(self._text):
                yield pair


class PairStream:
    """The sentence pairs of standard input (``-``, lines of ``src ||| tgt``) or of pipes, read once, as they arrive.

    Raises:
        XalignError: the errors of :class:`SentencePairs`, but during the iteration; immediately for standard input as
            one of two sides.
    """

    def __init__(self, src: StrPath, tgt: StrPath | None = None, split: tuple[Split, Split] = AT_SPACES):
        if tgt is not None and STANDARD_INPUT in (src, tgt):
            parameter = "src" if src == STANDARD_INPUT else "tgt"
            remedy = ("give both sides as", Parameter("pairs", STANDARD_INPUT))
            raise XalignError("standard input can't be one of two sides", parameter=parameter, remedy=remedy)
        self._src, self._tgt, self._split = src, tgt, split
        self._live: list[LiveStream] = []

    def ready(self) -> bool:
        """Whether the next pair can be read without waiting."""
        return all(stream.ready() for stream in self._live)

    def __iter__(self) -> Iterator[WordPair]:
        if self._tgt is None:
            name = "/dev/stdin" if self._src == STANDARD_INPUT else self._src
            yield from _split_pairs(self._lines(self._src), name, self._split)
            return
        one, other = self._split
        sides = (self._lines(self._src), self._lines(self._tgt))
        for number, (src, tgt) in enumerate(zip_longest(*sides)):
            if src is None or tgt is None:
                ended = self._src if src is None else self._tgt
                raise different_lengths(
                    self._src, self._tgt, f"{ended} ends after {counted(number, 'line')}, the other goes on"
                )
            yield one(src), other(tgt)

    def _lines(self, path: StrPath) -> Iterator[str]:
        if path == STANDARD_INPUT:
            self._live.append(LiveStream(sys.stdin.buffer))
            yield from text_lines(self._live[-1], "/dev/stdin")
        elif not is_piped(path):
            yield from read_lines(path)
        else:
            with open(path, "rb") as stream:
                self._live.append(LiveStream(stream))
                yield from text_lines(self._live[-1], path)


def open_pairs(
    src: StrPath, tgt: StrPath | None = None, split: tuple[Split, Split] = AT_SPACES
) -> SentencePairs | PairStream:
    """The pairs of checked files, or of standard input (``-``) or pipes as they arrive."""
    streamed = any(path is not None and is_piped(path) for path in (src, tgt))
    return PairStream(src, tgt, split) if streamed else SentencePairs(src, tgt, split)


def require_texts(*paths: StrPath) -> None:
    """Raise :class:`XalignError` for a side whose first line can't be read as text, or if both sides are one text."""
    for path in paths:
        next(plain(read_lines(path), path))
    if len(set(map(os.path.realpath, paths))) < len(paths):
        raise XalignError("both sides are the same text", where=paths[0])


def is_piped(path: StrPath) -> bool:
    """Whether the path can be read only once: standard input (``-``), or an existing path that is neither a file nor a
    folder.
    """
    return path == STANDARD_INPUT or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path))


def ready(pairs: object) -> bool:
    """Whether the next pair can be read without waiting for its writer."""
    return not isinstance(pairs, PairStream) or pairs.ready()


def chunks(pairs: Iterable[tuple[Sentence, Sentence]], most: int, source: object = None) -> Iterator[list[WordPair]]:
    """Yield the pairs as words, in order, up to ``most`` at a time, and fewer where lines are very long.

    Strings are split by the segmenter ``auto``. A chunk ends when it reaches ``WORDS_AT_ONCE`` words, or before reading
    would wait, so that each line of a dialogue is answered.

    Args:
        pairs: pairs of source and target sentence.
        most: maximum number of pairs in a chunk.
        source: the source that ``pairs`` are read from, if not ``pairs``.
    """
    source = pairs if source is None else source
    chunk: list[WordPair] = []
    words = 0
    for src, tgt in pairs:
        chunk.append((_words(src), _words(tgt)))
        words += len(chunk[-1][0]) + len(chunk[-1][1])
        if len(chunk) == most or words >= WORDS_AT_ONCE or not ready(source):
            yield chunk
            chunk, words = [], 0
    if chunk:
        yield chunk


def _words(sentence: Sentence) -> Sequence[str]:
    if isinstance(sentence, str):
        return find_segmenter("auto")(sentence)
    if isinstance(sentence, SegmentedText):
        return sentence
    try:
        words = list(sentence)
        "".join(words)  # raises for other types
    except TypeError:
        raise XalignError("a sentence is neither a string nor a list of words", found=f"{sentence!r:.80}") from None
    return words


def plain(lines: Iterable[str], path: StrPath) -> Iterator[str]:
    """Lines; :class:`XalignError` if they begin like a file of markup."""
    for number, line in enumerate(lines):
        if not number and MARKUP.match(line) and SEPARATOR not in line:
            remedy = ("extract its text first, or move its tags to a translation:", Command("project"))
            found, expected = line.strip()[:40], "text, FILE.tsv#COLUMN or FILE.tmx#LANGUAGE"
            raise XalignError("the file is not plain text", where=path, found=found, expected=expected, remedy=remedy)
        yield line


def _split_pairs(lines: Iterable[str], path: StrPath, split: tuple[Split, Split]) -> Iterator[WordPair]:
    one, other = split
    for number, line in enumerate(plain(lines, path), 1):
        separators = list(_SEPARATOR.finditer(line))
        if len(separators) == 1:
            [separator] = separators
            yield one(line[: separator.start()].strip()), other(line[separator.end() :].strip())
        elif line and not line.isspace():
            remedy = "give the translation as the second file, or both as columns of FILE.tsv, with tabs"
            raise XalignError(
                "a line is not a pair",
                where=f"{path}, line {number}",
                found=counted(len(separators), "separator"),
                expected=f"source {SEPARATOR} target",
                remedy=None if separators else remedy,
            )
        else:
            yield one(""), other("")


class KeptPairs(SentencePairs):
    """Pairs that are segmented once: the first complete iteration stores their words in an unnamed file.

    The file in ``folder`` is as large as both sides with a space after each word; no word has white space in it.
    """

    def __init__(self, src: StrPath, tgt: StrPath, split: tuple[Segmenter, Segmenter], folder: StrPath):
        super().__init__(src, tgt, split)
        self._folder, self._find = folder, split
        self._kept: mmap | None = None

    def __iter__(self) -> Iterator[WordPair]:
        lines = zip(read_lines(self._src), read_lines(self.paths[1]), strict=True)
        if kept := self._kept:
            end = -1
            for pair in lines:
                start, end = end + 1, kept.find(b"\n", end + 1)
                words = kept[start:end].decode().split("\t")
                src, tgt = (SegmentedText.of_words(line, each.split()) for line, each in zip(pair, words, strict=True))
                yield src, tgt
            return
        with TemporaryFile(dir=self._folder) as out:
            for pair in lines:
                src, tgt = (find(line) for find, line in zip(self._find, pair, strict=True))
                out.write(f"{' '.join(src.words)}\t{' '.join(tgt.words)}\n".encode())
                yield src, tgt
            out.flush()
            # The map keeps the file open; several iterations may run at the same time.
            self._kept = mmap(out.fileno(), 0, access=ACCESS_READ)
