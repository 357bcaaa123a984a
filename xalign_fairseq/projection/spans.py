"""Map spans of source words to spans of target words by word links."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from xalign_fairseq.core.errors import check_values


@dataclass(frozen=True)
class Placing:
    """How a span is placed.

    Attributes:
        max_gap: a gap is a run of target words without a link to the span, between two words with one. The target
            span is the longest run of words with gaps of at most this length; 0: all its words are linked.
        min_share: minimum share of the span's words with a link. A span with fewer is not placed.
    """

    max_gap: int = 3
    min_share: float = 0.0

    def __post_init__(self) -> None:
        check_values(
            "spans can't be placed with this option",
            ("max_gap", self.max_gap, self.max_gap >= 0, "0 or more words"),
            ("min_share", self.min_share, 0 <= self.min_share <= 1, "0 to 1"),
        )


def place(
    spans: Sequence[range], links: Mapping[tuple[int, int], float], placing: Placing = Placing()
) -> list[range | str]:
    """The target words of each span of source words, or the reason why it has none.

    A target word with links to several spans belongs to the one with the most probable link; if equal, to the
    first. The target spans are disjoint.

    Args:
        spans: disjoint ranges of source words.
        links: probability of each link (source word, target word).
        placing: the options.

    Example::

        >>> place([range(0, 2), range(3, 4)], {(0, 1): 0.9, (1, 0): 0.8})
        [range(0, 2), 'its words have no link']
    """
    span_of = {word: number for number, span in enumerate(spans) for word in span}
    best: dict[int, tuple[float, int]] = {}  # for each target word
    for (i, j), probability in links.items():
        if i in span_of:
            best[j] = max(best.get(j, (-1.0, 0)), (probability, -span_of[i]))
    owned: defaultdict[int, set[int]] = defaultdict(set)
    linked: defaultdict[int, set[int]] = defaultdict(set)
    for i, j in links:
        if i in span_of and span_of[i] == -best[j][1]:
            owned[span_of[i]].add(j)
            linked[span_of[i]].add(i)
    found: list[range | str] = []
    for number, span in enumerate(spans):
        words = len(linked[number])
        if not words:
            lost = any(i in span for i, _ in links)
            found.append("its words are linked to another span's" if lost else "its words have no link")
        elif words < placing.min_share * len(span):
            found.append(f"only {words} of its {len(span)} words have a link")
        else:
            runs = list(_runs(sorted(owned[number]), best.keys() - owned[number], placing.max_gap))
            run = max(runs, key=lambda run: (len(run), sum(best[j][0] for j in run), -run[0]))
            found.append(range(run[0], run[-1] + 1))
    return found


def _runs(words: Sequence[int], others: Iterable[int], max_gap: int) -> Iterable[list[int]]:
    """Runs of the words: a gap within a run has at most this number of words, and no word of another span."""
    taken = set(others)
    run = [words[0]]
    for word in words[1:]:
        gap = range(run[-1] + 1, word)
        if len(gap) > max_gap or not taken.isdisjoint(gap):
            yield run
            run = []
        run.append(word)
    yield run
