"""Examples from task files: each is one item of a test set, labelled or unlabelled.

``language`` is the language of an example's answers or labels, ``languages`` the languages of its texts, in the
encoder's order.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.compressed import open_file
from xalign_fairseq.core.text.decoding import PACKED, packed_by
from xalign_fairseq.core.text.lines import require_file, text_lines


@dataclass(frozen=True)
class PairExample:
    """Two texts and the class of the pair (XNLI: premise, hypothesis; PAWS-X: two sentences).

    ``label`` is ``None`` in a file without labels; ``second_language`` is given if it differs from that of ``first``.
    """

    id: str
    language: str
    first: str
    second: str
    label: str | None
    second_language: str | None = None

    @property
    def languages(self) -> tuple[str, str]:
        return self.language, self.second_language or self.language


@dataclass(frozen=True)
class WordsExample:
    """A sentence of words and a tag for each (POS, NER); ``tags`` is ``None`` in a file without labels."""

    id: str
    language: str
    words: tuple[str, ...]
    tags: tuple[str, ...] | None

    @property
    def languages(self) -> tuple[str]:
        return (self.language,)


@dataclass(frozen=True)
class Tree:
    """A dependency tree over words 1 ... n: the head of each word (0 is the root) and its relation."""

    heads: tuple[int, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True)
class TreeExample:
    """A sentence with its universal part-of-speech tags and tree; ``tree`` is ``None`` in a file without one.

    ``upos`` is used only by the metric (punctuation is left out), never by the parser.
    """

    id: str
    language: str
    words: tuple[str, ...]
    upos: tuple[str, ...]
    tree: Tree | None

    @property
    def languages(self) -> tuple[str]:
        return (self.language,)


@dataclass(frozen=True)
class QuestionExample:
    """A question on a context; ``answers`` are texts with their 0-based character offsets in the context.

    ``answers`` is ``None`` in a file without answers; ``question_language`` is given if it differs from the context's.
    """

    id: str
    language: str
    question: str
    context: str
    answers: tuple[tuple[str, int], ...] | None
    question_language: str | None = None

    @property
    def languages(self) -> tuple[str, str]:
        return self.question_language or self.language, self.language


Example = PairExample | WordsExample | TreeExample | QuestionExample


@contextmanager
def open_bytes(path: StrPath) -> Iterator[IO[bytes]]:
    """Open a file for reading; compressed files are unpacked, whatever their name."""
    require_file(path)
    with open(path, "rb") as raw:
        tool = packed_by(raw.read(16))
    with open_file(path, "" if tool is None else PACKED[tool][1]) as stream:
        yield stream


def read_rows(path: StrPath) -> Iterator[str]:
    """Yield the lines of a file that may be compressed, see :func:`~xalign_fairseq.core.text.lines.text_lines`."""
    with open_bytes(path) as stream:
        yield from text_lines(stream, path, table=True)


def read_blocks(path: StrPath) -> Iterator[tuple[int, list[str]]]:
    """Yield the blocks between blank lines, with the number of their first lines."""
    block: list[str] = []
    for number, line in enumerate(read_rows(path), 1):
        if line.strip():
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []
    if block:
        yield number - len(block) + 1, block
