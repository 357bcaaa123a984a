"""A sentence between a natural and a derived language: its words move and are rewritten, but none is lost."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

T = TypeVar("T")
# sentencepiece's NFKC rules read it as a space, but it does not split a line into words.
BLANK_WITHIN_WORD = "\u200b"


@dataclass(frozen=True)
class SyntaxTree:
    """The dependency tree of a sentence: for each word its head (0-based, -1 the root's), relation and UPOS tag."""

    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    upos: tuple[str, ...]

    def __post_init__(self) -> None:
        if not len(self.heads) == len(self.deprels) == len(self.upos):
            raise ValueError(f"{len(self.heads)} heads, {len(self.deprels)} relations, {len(self.upos)} tags")


@dataclass(frozen=True)
class Sentence:
    """The words of a natural sentence, and the place and spelling of each in the derived sentence.

    Args:
        order: ``order[k]`` is the place in ``source`` of the k-th derived word: a permutation.
        forms: the spelling of each derived word; no word is empty or has white space unless a ``source`` word does.
        tree: the tree of the natural sentence, for transformations that need it.

    Example::

        sentence = Sentence.natural(["I", "am", "Sam"]).reordered([2, 1, 0])
        sentence.forms  # ("Sam", "am", "I")
        sentence.links  # [(2, 0), (1, 1), (0, 2)]
    """

    source: tuple[str, ...]
    order: tuple[int, ...]
    forms: tuple[str, ...]
    tree: SyntaxTree | None = None

    def __post_init__(self) -> None:
        if not len(self.source) == len(self.order) == len(self.forms):
            raise ValueError(f"{len(self.source)} words, {len(self.order)} places, {len(self.forms)} forms")
        if self.tree is not None and len(self.tree.heads) != len(self.source):
            raise ValueError(f"{len(self.source)} words, but a tree of {len(self.tree.heads)}")

    @classmethod
    def natural(cls, words: Sequence[str], tree: SyntaxTree | None = None) -> "Sentence":
        """The natural sentence itself, not yet transformed."""
        return cls(tuple(words), tuple(range(len(words))), tuple(words), tree)

    def reordered(self, permutation: Sequence[int]) -> "Sentence":
        """Move the derived word at ``permutation[k]`` to place k, for every k; forms move with their words."""
        if sorted(permutation) != list(range(len(self.order))):
            raise ValueError(f"not a permutation of {len(self.order)} places: {list(permutation)}")
        return replace(
            self, order=tuple(self.order[k] for k in permutation), forms=tuple(self.forms[k] for k in permutation)
        )

    def rewritten(self, forms: Sequence[str]) -> "Sentence":
        """The sentence whose k-th derived word is written ``forms[k]``."""
        return replace(self, forms=tuple(forms))

    @property
    def links(self) -> list[tuple[int, int]]:
        """The exact gold alignment: (place of a natural word, place of its derived word), by derived place."""
        return [(i, k) for k, i in enumerate(self.order)]

    def move(self, labels: Sequence[T]) -> list[T]:
        """Labels of the natural words, in the derived order."""
        if len(labels) != len(self.order):
            raise ValueError(f"{len(labels)} labels of {len(self.order)} words")
        return [labels[i] for i in self.order]


def unbroken(word: str, boundary: str = " ") -> str:
    """The word with U+200B instead of white space and ``boundary``, so that it stays one word in a line of text."""
    return "".join(BLANK_WITHIN_WORD if c == boundary or c.isspace() else c for c in word)


class Transformation(Protocol):
    """One step from a natural language to a derived one.

    ``key`` is the sentence's number. Random draws are keyed by (seed, key), so one seed gives one language, however the
    text is divided. Words are looked up in ``sentence.source``, never in ``forms``, so the steps can follow each other
    in any order.
    """

    def __call__(self, sentence: Sentence, key: int) -> Sentence: ...


@dataclass(frozen=True)
class Composition:
    """Transformations applied from left to right; without any, a sentence does not change."""

    steps: tuple[Transformation, ...]

    def __call__(self, sentence: Sentence, key: int) -> Sentence:
        for step in self.steps:
            sentence = step(sentence, key)
        return sentence
