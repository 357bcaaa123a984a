"""Inversion: the words of each segment of a line in reverse order."""

from collections import Counter
from collections.abc import Iterable

from xalign_fairseq.languages.sentence import Sentence

MARKS = "sentence marks"


class Inversion:
    """Reverses the words between sentence marks; T_inv of ALIGN-MLM (appendices F and G.2, word level).

    A segment ends with a word that is a mark, which stays at its end; a segment without one, the line's last, is
    reversed whole. Applied twice, it gives the natural order again.

    Args:
        marks: the words that end a segment: ``.`` in the paper, ``. ! ?`` in its released code.

    Attributes:
        counts: how many marks were met; none at all in a text whose marks are not words of their own.

    Example::

        Inversion(["."])(Sentence.natural("I am Sam . I am".split()), 0).forms  # Sam am I . am I
    """

    def __init__(self, marks: Iterable[str] = (".",)):
        self.marks = frozenset(marks)
        self.counts: Counter[str] = Counter({MARKS: 0})

    def __call__(self, sentence: Sentence, key: int) -> Sentence:
        """Invert; ``key`` is not used."""
        permutation: list[int] = []
        begin = 0
        for place, natural in enumerate(sentence.order):
            if sentence.source[natural] in self.marks:
                permutation += [*range(place - 1, begin - 1, -1), place]
                begin = place + 1
                self.counts[MARKS] += 1
        permutation += range(len(sentence.order) - 1, begin - 1, -1)
        return sentence.reordered(permutation)
