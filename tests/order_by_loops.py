"""The model of order by its definition, restated by plain loops."""

import itertools
import math

DET, ADJ, NMOD = ("DET", "det"), ("ADJ", "amod"), ("NOUN", "nmod")
ADVMOD, ADV_NMOD = ("ADV", "advmod"), ("ADV", "nmod")


def features(order, node):
    """(kind, what is seen of the first, of the second) for each feature of an order, by the definition."""
    sequence = [("@" + node.tag, "@") if k == 0 else node.dependents[k - 1] for k in order]
    head = order.index(0)
    framed = [("#", "#"), *sequence, ("#", "#")]
    pairs = [(1, a, b) for a, b in itertools.pairwise(framed)]
    for i, j in itertools.combinations(range(len(sequence)), 2):
        pairs.append((0, sequence[i], sequence[j]))
        if head not in (i, j):
            pairs.append((2 if j < head else 4 if i > head else 3, sequence[i], sequence[j]))
    return [(kind, see(a), see(b)) for kind, a, b in pairs for see in (tag, relation, both)]


def tag(symbol):
    return "tag", symbol[0]


def relation(symbol):
    return "relation", symbol[1]


def both(symbol):
    return symbol


def by_loops(node, by_feature):
    """The distribution over orders that keep like dependents in their order."""
    exponents = {}
    for order in itertools.permutations(range(1 + len(node.dependents))):
        places = {element: place for place, element in enumerate(order)}
        like = [k for k in range(1, len(node.dependents)) if node.dependents[k - 1] == node.dependents[k]]
        if all(places[k] < places[k + 1] for k in like):
            exponents[order] = sum(by_feature.get(feature, 0.0) for feature in features(order, node))
    total = math.fsum(math.exp(each) for each in exponents.values())
    return {order: math.exp(each) / total for order, each in exponents.items()}
