"""What the readers of task files give: one item of a test set each, labelled or not."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PairExample:
    """Two texts and the class of the pair (XNLI: premise, hypothesis; PAWS-X: two sentences).

    ``label`` is ``None`` in a file without labels.
    """

    id: str
    language: str
    first: str
    second: str
    label: str | None


@dataclass(frozen=True)
class WordsExample:
    """A sentence of words and a tag for each (POS, NER); ``tags`` is ``None`` in a file without labels."""

    id: str
    language: str
    words: tuple[str, ...]
    tags: tuple[str, ...] | None


@dataclass(frozen=True)
class Tree:
    """A dependency tree over words 1 ... n: the head of each word (0 is the root) and its relation."""

    heads: tuple[int, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True)
class TreeExample:
    """A sentence with its universal part-of-speech tags and tree; ``tree`` is ``None`` in a file without one.

    ``upos`` is used by the metric alone (punctuation is left out), never by the parser.
    """

    id: str
    language: str
    words: tuple[str, ...]
    upos: tuple[str, ...]
    tree: Tree | None


@dataclass(frozen=True)
class QuestionExample:
    """A question on a context; ``answers`` are texts with their 0-based character offsets in the context.

    ``answers`` is ``None`` in a file without answers.
    """

    id: str
    language: str
    question: str
    context: str
    answers: tuple[tuple[str, int], ...] | None


Example = PairExample | WordsExample | TreeExample | QuestionExample
