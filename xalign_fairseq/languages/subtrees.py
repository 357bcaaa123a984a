"""Heads and the subtrees of their dependents as blocks that can change places."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.languages.order_model import MAX_DEPENDENTS, Node
from xalign_fairseq.languages.sentence import SyntaxTree

# UPOS tag of a head -> the model that orders it and its dependents, as in Wang & Eisner (2016).
HEADS: Mapping[str, str] = {"NOUN": "noun", "PROPN": "noun", "PRON": "noun", "VERB": "verb"}
PUNCTUATION = "PUNCT"
# Counts of nodes that keep their order.
TOO_MANY, GAPS = "too many dependents", "not contiguous"
# The places of a contiguous part of a sentence: from, to (not in it).
Span = tuple[int, int]


@dataclass(frozen=True)
class Blocks:
    """A head and its dependents, each with its subtree.

    Attributes:
        head: the head, a natural word's number.
        node: the features for a model of order.
        elements: the span of each element that is ordered: of the head, and of the dependents as in ``node``; like
            dependents by their places.
        punctuation: the spans of dependents that are punctuation.
    """

    head: int
    node: Node
    elements: list[Span]
    punctuation: list[Span]


class Subtrees:
    """The subtrees of a sentence whose words are in some order."""

    def __init__(self, tree: SyntaxTree, places: Sequence[int], where: str):
        self.tree, self.places = tree, places
        self.start, self.end, self.size = list(places), [place + 1 for place in places], [1] * len(places)
        self.dependents: list[list[int]] = [[] for _ in places]
        roots: list[int] = []
        for word, head in enumerate(tree.heads):
            if not -1 <= head < len(places):
                raise _no_tree(where, f"head {head + 1} of word {word + 1}, of {len(places)} words")
            (roots if head < 0 else self.dependents[head]).append(word)
        if len(roots) > 1:
            raise _no_tree(where, f"{len(roots)} roots: words {', '.join(str(word + 1) for word in roots)}")
        self.upward = self._sum_up(where)

    def _sum_up(self, where: str) -> list[int]:
        """Words, each after its dependents; sums up the subtrees on the way."""
        waiting = [len(each) for each in self.dependents]
        upward = [word for word, count in enumerate(waiting) if count == 0]
        for word in upward:  # it grows meanwhile
            head = self.tree.heads[word]
            if head < 0:
                continue
            self.start[head] = min(self.start[head], self.start[word])
            self.end[head] = max(self.end[head], self.end[word])
            self.size[head] += self.size[word]
            waiting[head] -= 1
            if waiting[head] == 0:
                upward.append(head)
        if len(upward) < len(waiting):  # what depends on a circle was summed up; the circle itself waits for ever
            circle = [str(word + 1) for word, count in enumerate(waiting) if count]
            raise _no_tree(where, f"heads that run in a circle: words {', '.join(circle)}")
        return upward

    def contiguous(self, word: int) -> bool:
        """Whether the subtree of a word has no gap."""
        return self.end[word] - self.start[word] == self.size[word]

    def blocks(self, counts: Counter[str]) -> Iterator[Blocks]:
        """Nouns and verbs whose dependents can be ordered, each after those in its subtree.

        Counts ``heads``, nouns and verbs with a dependent that is not punctuation; and those that are left out:
        ``too many dependents``, ``not contiguous``.
        """
        upos, relations = self.tree.upos, self.tree.deprels
        for head in self.upward:
            if not self.dependents[head] or upos[head] not in HEADS:
                continue
            ordered, punctuation = [], []
            for word in self.dependents[head]:
                span = self.start[word], self.end[word]
                if upos[word] == PUNCTUATION:
                    punctuation.append(span)
                else:
                    ordered.append(((upos[word], relations[word].partition(":")[0]), span))
            if not ordered:
                continue
            counts["heads"] += 1
            if len(ordered) > MAX_DEPENDENTS:
                counts[TOO_MANY] += 1
            elif not all(map(self.contiguous, (head, *self.dependents[head]))):
                counts[GAPS] += 1
            else:
                ordered.sort()
                node = Node(upos[head], tuple(symbol for symbol, _ in ordered))
                own = self.places[head], self.places[head] + 1
                yield Blocks(head, node, [own, *(span for _, span in ordered)], punctuation)


def _no_tree(where: str, found: str) -> XalignError:
    return XalignError(
        "the heads of a sentence do not form a tree", where=where, found=found, expected="one root, no circle"
    )
