import itertools

import numpy as np
import pytest
from support.grammar import ADJ, ADV_NMOD, ADVMOD, DET, NMOD, both, by_loops, relation, tag

from xalign_fairseq.languages.order_model import Node, OrderModel, Template, orders


def random_model(node, seed, forget=()):
    """A model with normal weights, and the same weights by feature; symbols in ``forget`` are unknown to it."""
    rng = np.random.default_rng(seed)
    templates, by_feature = [], {}
    for see in (tag, relation, both):
        seen = list(dict.fromkeys(see(symbol) for symbol in node.elements if symbol not in forget))
        weights = np.zeros((5, len(seen) + 1, len(seen) + 1))
        weights[:, :-1, :-1] = rng.normal(size=(5, len(seen), len(seen)))
        for kind, (a, name), (b, other) in itertools.product(range(5), enumerate(seen), enumerate(seen)):
            by_feature[kind, name, other] = weights[kind, a, b]
        names = {name if see is both else name[1]: number for number, name in enumerate(seen)}
        templates.append(Template(names, weights))
    return OrderModel(*templates), by_feature


@pytest.mark.parametrize(
    "dependents",
    [
        (),
        (DET,),
        (ADJ, DET),
        (ADJ, ADJ, DET),
        (ADJ, DET, NMOD, NMOD),
        (ADJ, ADJ, ADJ, DET, NMOD),
        (ADVMOD, ADV_NMOD),
        (DET, ADJ, NMOD, NMOD, ADVMOD, ADV_NMOD),
    ],
)
def test_probabilities_are_those_of_plain_loops(dependents):
    node = Node("NOUN", tuple(sorted(dependents)))
    model, by_feature = random_model(node, seed=len(dependents))
    expected = by_loops(node, by_feature)

    found = dict(zip(map(tuple, orders(1 + len(dependents)).tolist()), model.probabilities(node), strict=True))

    assert sum(found.values()) == pytest.approx(1, abs=1e-14)
    for order, probability in found.items():
        assert probability == pytest.approx(expected.get(order, 0.0), rel=1e-11, abs=1e-300)


def test_orders_are_all_permutations():
    assert orders(3).tolist() == [list(order) for order in itertools.permutations(range(3))]
