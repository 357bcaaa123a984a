"""Links of words as links of other units of the same text, such as the pieces of sentencepiece."""

from collections.abc import Iterable, Sequence

from xalign_fairseq.core.text.segmented import SegmentedText, Span
from xalign_fairseq.links.pharaoh import Link


def unit_links(links: Iterable[Link], src: Sequence[Sequence[int]], tgt: Sequence[Sequence[int]]) -> set[Link]:
    """Links between all units of a source word and all of the target word that it is linked to.

    Args:
        links: of words.
        src, tgt: for each word the numbers of its units.

    Example::

        >>> sorted(unit_links({(0, 1)}, [[0, 1]], [[0], [1, 2]]))
        [(0, 1), (0, 2), (1, 1), (1, 2)]
    """
    return {(unit, other) for i, j in links for unit in src[i] for other in tgt[j]}


def units_of_words(text: SegmentedText, units: Sequence[Span]) -> list[list[int]]:
    """For each word of a text the numbers of the units that share a character with it.

    Args:
        text: with its words.
        units: first character of each unit, and the one after its last. One without characters, as all but the last of
            the bytes of a character have, is of the word that its place is in.

    Example::

        >>> text = SegmentedText("a house", ((0, 1), (2, 7)))
        >>> units_of_words(text, [(0, 1), (1, 4), (4, 7)])
        [[0], [1, 2]]
    """
    found: list[list[int]] = [[] for _ in text.spans]
    for number, (start, stop) in enumerate(units):
        for word in text.words_in(start, max(stop, start + 1)):
            found[word].append(number)
    return found
