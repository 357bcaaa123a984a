"""The order of another language: dependents of nouns and verbs move to their order in that language's treebank."""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.languages.conllu_files import natural, read
from xalign_fairseq.languages.order_model import Node, OrderModel, orders
from xalign_fairseq.languages.sentence import Sentence, SyntaxTree
from xalign_fairseq.languages.subtrees import GAPS, HEADS, TOO_MANY, Blocks, Subtrees

logger = logging.getLogger(__name__)
# Distributions that are kept; one over the orders of seven elements takes 40 kB.
_KEPT = 1 << 13


def learn(trees: Iterable[SyntaxTree]) -> dict[str, OrderModel]:
    """Learn the order of heads and their dependents, for ``noun`` and for ``verb``.

    Raises:
        XalignError: there is no noun, or no verb, with dependents to learn from.

    Example::

        models = learn(read_treebank("fr_gsd-ud-dev.conllu.gz"))
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
            found = f"no {name} with dependents"
            expected = "CoNLL-U with universal tags in column 4, heads and relations in columns 7 and 8"
            raise XalignError(f"the treebank shows no order of {name}s", found=found, expected=expected)
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

    After Wang & Eisner (2016). A head and the subtrees of its dependents change places as blocks, from the leaves up,
    so that subtrees stay whole. Punctuation among the dependents keeps its slot: if it is the k-th of the blocks, it
    stays the k-th; the others share the other slots. Left as they are, and counted, are nodes with more than
    ``MAX_DEPENDENTS`` dependents (punctuation apart), and nodes whose subtree, or that of a dependent, has gaps
    (non-projective trees; after an inversion of parts of a sentence).

    Args:
        models: by :func:`learn`.
        seed: each draw is keyed by (seed, number of the sentence, place of the head in the natural sentence).

    Attributes:
        counts: ``heads`` that could be ordered, and those of them that were left (``too many dependents``,
            ``not contiguous``).

    Raises:
        XalignError: a sentence has no tree, or heads that make none.

    Example::

        reorder = Reordering(learn(read_treebank("fr_gsd-ud-dev.conllu.gz")), seed=1)
        reorder(Sentence.natural(["a", "red", "car"], tree), 0).forms  # most likely ("a", "car", "red")
    """

    def __init__(self, models: Mapping[str, OrderModel], seed: int):
        self.models, self.seed = models, seed
        self.counts: Counter[str] = Counter({"heads": 0, TOO_MANY: 0, GAPS: 0})
        self._cumulated = lru_cache(_KEPT)(self._cumulate)

    def __call__(self, sentence: Sentence, key: int) -> Sentence:
        where = f"sentence {key + 1}"
        if sentence.tree is None:
            remedy = "give the text as CoNLL-U with tags, heads and relations"
            raise XalignError("a sentence has no tree, which the syntax step needs", where=where, remedy=remedy)
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
        # In (0, total], so that it never falls on an order of no probability.
        number = int(np.searchsorted(cumulated, (1 - draw) * cumulated[-1]))
        moved = iter([blocks.elements[k] for k in orders(len(blocks.elements))[number]])
        slots = sorted(blocks.elements + blocks.punctuation)
        filled = [slot if slot in blocks.punctuation else next(moved) for slot in slots]
        line[slots[0][0] : slots[-1][1]] = [word for start, end in filled for word in line[start:end]]

    def _cumulate(self, node: Node) -> np.ndarray:
        return np.cumsum(self.models[HEADS[node.tag]].probabilities(node))
