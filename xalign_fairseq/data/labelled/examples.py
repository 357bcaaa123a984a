"""Examples from task files: one item of a test set each, labelled or not.

``language`` is that of an example's answers or labels, ``languages`` those of its texts in the order in which the
encoder reads them.
"""

from dataclasses import dataclass


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
        """Languages of the first and of the second text."""
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
        """Of the sentence."""
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
        """Of the sentence."""
        return (self.language,)


@dataclass(frozen=True)
class QuestionExample:
    """A question on a context; ``answers`` are texts with their 0-based character offsets in the context.

    ``answers`` is ``None`` in a file without answers; ``question_language`` is given where it is not the context's.
    """

    id: str
    language: str
    question: str
    context: str
    answers: tuple[tuple[str, int], ...] | None
    question_language: str | None = None

    @property
    def languages(self) -> tuple[str, str]:
        """Languages of the question and of the context."""
        return self.question_language or self.language, self.language


Example = PairExample | WordsExample | TreeExample | QuestionExample
