"""The order of another language: dependents of nouns and verbs move as in that language's treebank."""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.languages.conllu_files import natural, read
from xalign_fairseq.languages.order_model import MAX_DEPENDENTS, Node, OrderModel, orders
from xalign_fairseq.languages.sentence import Sentence, SyntaxTree

# UPOS tag of a head -> the model of its order, as in Wang & Eisner (2016).
HEADS: Mapping[str, str] = {"NOUN": "noun", "PROPN": "noun", "PRON": "noun", "VERB": "verb"}
PUNCTUATION = "PUNCT"
# Counts of nodes that keep their order.
TOO_MANY, GAPS = "too many dependents", "not contiguous"
# A contiguous part of a sentence: first place, and end (exclusive).
Span = tuple[int, int]


@dataclass(frozen=True)
class Blocks:
    """A head (a word's number), its ``node``, the spans of head and dependents, and separately those of punctuation."""

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
        """Compute the subtrees' sizes and spans; return the words, each after its dependents."""
        waiting = [len(each) for each in self.dependents]
        upward = [word for word, count in enumerate(waiting) if count == 0]
        for word in upward:  # the loop extends it
            head = self.tree.heads[word]
            if head < 0:
                continue
            self.start[head] = min(self.start[head], self.start[word])
            self.end[head] = max(self.end[head], self.end[word])
            self.size[head] += self.size[word]
            waiting[head] -= 1
            if waiting[head] == 0:
                upward.append(head)
        if len(upward) < len(waiting):  # words that depend on a cycle are done, but not the cycle
            circle = [str(word + 1) for word, count in enumerate(waiting) if count]
            raise _no_tree(where, f"heads that form a cycle: words {', '.join(circle)}")
        return upward

    def contiguous(self, word: int) -> bool:
        """Whether the subtree of a word has no gap."""
        return self.end[word] - self.start[word] == self.size[word]

    def blocks(self, counts: Counter[str]) -> Iterator[Blocks]:
        """Nouns and verbs whose dependents can be ordered, from the leaves up; counts ``heads`` and skipped ones."""
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
        "the heads of a sentence do not form a tree", where=where, found=found, expected="one root, no cycle"
    )


logger = logging.getLogger(__name__)
# Number of cached distributions; one over the orders of seven elements takes 40 kB.
_KEPT = 1 << 13


def learn(trees: Iterable[SyntaxTree]) -> dict[str, OrderModel]:
    """Learn the order of heads and their dependents, for ``noun`` and for ``verb``.

    Raises:
        XalignError: there is no noun, or no verb, with dependents to learn from.
    """
    from xalign_fairseq.languages.order_learning import Observation, fit

    observations: dict[str, list[Observation]] = defaultdict(list)
    counts: Counter[str] = Counter()
    for number, tree in enumerate(trees, 1):
        for blocks in Subtrees(tree, range(len(tree.heads)), f"tree {number}").blocks(counts):
            order = sorted(range(len(blocks.elements)), key=blocks.elements.__getitem__)
            observations[HEADS[blocks.node.tag]].append((blocks.node, tuple(order)))
    logger.info("word order in the treebank: %s", dict(counts))
    for name in dict.fromkeys(HEADS.values()):
        if name not in observations:
            expected = "CoNLL-U with universal tags in column 4, heads and relations in columns 7 and 8"
            raise XalignError(f"the treebank has no {name} with dependents", expected=expected)
    return {name: fit(each) for name, each in observations.items()}


def read_treebank(path: StrPath) -> list[SyntaxTree]:
    """Read the trees of a CoNLL-U file, plain or compressed.

    Raises:
        XalignError: a sentence has no tree, or a malformed one: a head that is not a word, a cycle, no root or several
            (file and sentence are named).
    """
    trees = []
    for sentence in read(path):
        tree = natural(sentence).tree
        if tree is None:
            expected = "heads and relations in columns 7 and 8"
            raise XalignError("a sentence of the treebank has no tree", where=sentence.where, expected=expected)
        trees.append(tree)
    return trees


class Reordering:
    """Order the dependents of nouns and verbs as another language does, by draws from its model of order.

    After Wang & Eisner (2016). A head and the subtrees of its dependents change places as blocks, from the leaves up.
    Punctuation among the dependents keeps its slot: the k-th of the blocks stays the k-th. Nodes with more than
    ``MAX_DEPENDENTS`` dependents (without punctuation) and subtrees with gaps keep their order and are counted.

    Args:
        models: by :func:`learn`.
        seed: each draw is keyed by (seed, number of the sentence, place of the head in the natural sentence).

    Raises:
        XalignError: a sentence has no tree, or heads that form none.
    """

    def __init__(self, models: Mapping[str, OrderModel], seed: int):
        self.models, self.seed = models, seed
        self.counts: Counter[str] = Counter({"heads": 0, TOO_MANY: 0, GAPS: 0})
        self._cumulated = lru_cache(_KEPT)(lambda node: np.cumsum(models[HEADS[node.tag]].probabilities(node)))

    def __call__(self, sentence: Sentence, key: int) -> Sentence:
        where = f"sentence {key + 1}"
        if sentence.tree is None:
            raise XalignError("a sentence has no tree, which the syntax step needs", where=where)
        places = [0] * len(sentence.order)
        for place, word in enumerate(sentence.order):
            places[word] = place
        line = list(range(len(places)))
        draws = np.random.default_rng((self.seed, key)).random(len(places))
        for blocks in Subtrees(sentence.tree, places, where).blocks(self.counts):
            self._move(line, blocks, draws[blocks.head])
        return sentence.reordered(line)

    def _move(self, line: list[int], blocks: Blocks, draw: float) -> None:
        """Order a head and its dependents; ``line`` has the current node of each place."""
        cumulated = self._cumulated(blocks.node)
        # In (0, total], so that it never selects an order of probability zero.
        number = int(np.searchsorted(cumulated, (1 - draw) * cumulated[-1]))
        moved = iter([blocks.elements[k] for k in orders(len(blocks.elements))[number]])
        slots = sorted(blocks.elements + blocks.punctuation)
        filled = [slot if slot in blocks.punctuation else next(moved) for slot in slots]
        line[slots[0][0] : slots[-1][1]] = [word for start, end in filled for word in line[start:end]]
