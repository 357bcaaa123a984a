"""A log-linear model of the order of a head and its dependents (Wang & Eisner 2016, "The Galactic Dependencies
Treebanks")."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np

# For a head with this number of dependents, the sum is over all orders (7! = 5040).
MAX_DEPENDENTS = 6

# Features of two elements a and b of an order: a is anywhere before b; a is just before b; dependents a and b are both
# before the head, on both sides of it, or both after it.
PRECEDES, ADJACENT, BEFORE_HEAD, AROUND_HEAD, AFTER_HEAD = KINDS = range(5)

# The tag and the relation of an element. A head has a marked tag, and only the mark as its relation.
# The edge is before the first element and after the last.
Symbol = tuple[str, str]
EDGE: Symbol = ("#", "#")


@dataclass(frozen=True)
class Node:
    """Input of the model: the tag of a head and the sorted symbols of its dependents."""

    tag: str
    dependents: tuple[Symbol, ...]

    @property
    def elements(self) -> tuple[Symbol, ...]:
        """The elements to order: the head first, the edge last."""
        return ((f"@{self.tag}", "@"), *self.dependents, EDGE)


@dataclass(frozen=True)
class Template:
    """Weights for pairs of elements, by their tags, their relations, or both.

    ``names``: each tag or relation seen in learning -> its number; ``weights``: (kind, N + 1, N + 1) float64, the
    last row and column for unseen ones.
    """

    names: dict[Hashable, int]
    weights: np.ndarray

    def pairs(self, elements: Sequence[Hashable]) -> np.ndarray:
        """Weights of all pairs of elements, (kind, len(elements), len(elements))."""
        numbers = np.array([self.names.get(each, len(self.names)) for each in elements])
        return self.weights[:, numbers[:, None], numbers]


@dataclass(frozen=True)
class OrderModel:
    """The order of a head and its dependents, p(order | node) = exp(sum of the weights of its features) / Z(node).

    The features of an order are, for each pair of elements and each kind (see above), the two tags, the two relations,
    and both at once. Dependents with the same tag and relation are indistinguishable and keep their order; Z sums over
    all orders that keep it. :func:`~xalign_fairseq.languages.order_learning.fit` learns the weights.
    """

    tags: Template
    relations: Template
    symbols: Template

    def scores(self, node: Node) -> np.ndarray:
        """The exponent (n!,) float64 of each of ``orders``; ``-inf`` where equal dependents are swapped."""
        elements = node.elements
        tags, relations = zip(*elements, strict=True)
        pairs = self.tags.pairs(tags) + self.relations.pairs(relations) + self.symbols.pairs(elements)
        scores = pairs.reshape(-1)[active_features(len(elements) - 1)].sum(1)
        scores[~keeps_like(node)] = -np.inf
        return scores

    def probabilities(self, node: Node) -> np.ndarray:
        """The probability of each of ``orders(1 + len(node.dependents))``, (n!,), float64."""
        scores = self.scores(node)
        weights = np.exp(scores - scores.max())
        return weights / weights.sum()


@lru_cache
def orders(size: int) -> np.ndarray:
    """All orders of ``size`` elements, (size!, size); the elements are numbered from 0, the head."""
    return np.array(list(permutations(range(size))))


@lru_cache
def active_features(size: int) -> np.ndarray:
    """For each of ``orders(size)`` its features: places in a flat (kind, size + 1, size + 1); the last is the edge."""
    order, edge = orders(size), np.full((len(orders(size)), 1), size)
    framed = np.concatenate([edge, order, edge], 1)
    first, second = np.triu_indices(size, 1)
    before = [_places(PRECEDES, order[:, first], order[:, second], size)]
    before.append(_places(ADJACENT, framed[:, :-1], framed[:, 1:], size))
    # Only the dependents, in order; those before place `head` precede the head.
    dependents = order[order > 0].reshape(len(order), size - 1)
    head = np.argmin(order, 1)[:, None]
    first, second = np.triu_indices(size - 1, 1)
    kind = np.where(second < head, BEFORE_HEAD, np.where(first < head, AROUND_HEAD, AFTER_HEAD))
    before.append(_places(kind, dependents[:, first], dependents[:, second], size))
    return np.concatenate(before, 1)


def _places(kind: np.ndarray | int, first: np.ndarray, second: np.ndarray, size: int) -> np.ndarray:
    return (kind * (size + 1) + first) * (size + 1) + second


def keeps_like(node: Node) -> np.ndarray:
    """Which of ``orders(1 + len(node.dependents))`` keep the order of equal dependents, (n!,), bool."""
    rank = np.argsort(orders(1 + len(node.dependents)), 1)  # the place of each element
    like = [k for k, (a, b) in enumerate(zip(node.dependents, node.dependents[1:], strict=False), 1) if a == b]
    return np.all([rank[:, k] < rank[:, k + 1] for k in like], axis=0) if like else np.ones(len(rank), bool)
