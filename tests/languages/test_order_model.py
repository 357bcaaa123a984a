"""The model of order against its definition, restated by plain loops."""

import itertools
import math
import random

import numpy as np
import pytest
import torch

from xalign_fairseq.languages.order_learning import Likelihood, fit
from xalign_fairseq.languages.order_model import Node, OrderModel, Template, orders

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


def random_model(node, seed, forget=()):
    """A model with normal weights, and the same weights by feature; symbols in ``forget`` were never seen."""
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


@pytest.mark.parametrize(
    "dependents",
    [(), (DET,), (ADJ, DET), (ADJ, ADJ, DET), (ADJ, DET, NMOD, NMOD), (ADJ, ADJ, ADJ, DET, NMOD), (ADVMOD, ADV_NMOD)],
)
def test_probabilities_are_those_of_plain_loops(dependents):
    node = Node("NOUN", tuple(sorted(dependents)))
    model, by_feature = random_model(node, seed=len(dependents))
    expected = by_loops(node, by_feature)

    found = dict(zip(map(tuple, orders(1 + len(dependents)).tolist()), model.probabilities(node), strict=True))

    assert sum(found.values()) == pytest.approx(1, abs=1e-14)
    for order, probability in found.items():
        assert probability == pytest.approx(expected.get(order, 0.0), rel=1e-12, abs=1e-300)


def test_six_dependents():
    node = Node("VERB", tuple(sorted([DET, ADJ, NMOD, NMOD, ADVMOD, ADV_NMOD])))
    model, by_feature = random_model(node, seed=7)
    expected = by_loops(node, by_feature)
    found = dict(zip(map(tuple, orders(7).tolist()), model.probabilities(node), strict=True))
    assert {order: p for order, p in found.items() if p > 0} == pytest.approx(expected, rel=1e-11)


def test_what_was_never_seen_is_ordered_by_the_rest():
    node = Node("NOUN", (ADVMOD, ADV_NMOD, DET))
    model, by_feature = random_model(node, seed=3, forget=(ADV_NMOD,))
    found = dict(zip(map(tuple, orders(4).tolist()), model.probabilities(node), strict=True))
    assert found == pytest.approx(by_loops(node, by_feature), rel=1e-12)
    assert ("tag", "ADV") in {feature[1] for feature in by_feature}  # the tag is known from another symbol
    assert ("relation", "nmod") not in {feature[1] for feature in by_feature}


def observations(seed, count=30):
    """Nodes and orders at random, like dependents in their order."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        node = Node(rng.choice(["NOUN", "PROPN"]), tuple(sorted(rng.choices([DET, ADJ, NMOD], k=rng.randint(1, 4)))))
        found.append((node, rng.choice(list(by_loops(node, {})))))
    return found


def weights_of(likelihood, seed):
    rng = torch.Generator().manual_seed(seed)
    return [torch.randn(5, n, n, generator=rng, dtype=torch.float64).requires_grad_() for n in likelihood.sizes]


def test_the_likelihood_is_that_of_plain_loops():
    seen = observations(seed=1)
    likelihood = Likelihood(seen)
    weights = weights_of(likelihood, seed=2)
    by_feature = {}
    for names, table, see in zip(likelihood.names, weights, ("tag", "relation", None), strict=True):
        for (a, i), (b, j) in itertools.product(names.items(), names.items()):
            pair = (a, b) if see is None else ((see, a), (see, b))
            for kind in range(5):
                by_feature[kind, *pair] = table[kind, i, j].item()

    value = likelihood.backward(weights)

    expected = -math.fsum(math.log(by_loops(node, by_feature)[order]) for node, order in seen) / len(seen)
    assert value == pytest.approx(expected, rel=1e-12)


def test_the_gradient_is_that_of_finite_differences():
    likelihood = Likelihood(observations(seed=3))
    weights = weights_of(likelihood, seed=4)
    likelihood.backward(weights)
    rng, step = random.Random(5), 1e-6
    for table, gradient in [(table, table.grad.clone()) for table in weights]:
        places = gradient.nonzero().tolist()
        assert places
        for place in map(tuple, rng.sample(places, min(12, len(places)))):
            values = []
            for change in (step, -step):
                with torch.no_grad():
                    table[place] += change
                values.append(likelihood.backward(weights))
                with torch.no_grad():
                    table[place] -= change
            assert gradient[place].item() == pytest.approx((values[0] - values[1]) / (2 * step), rel=1e-5, abs=1e-8)


def test_learning_ends_where_the_gradient_of_the_penalised_likelihood_is_zero():
    seen, variance = observations(seed=6, count=60), 0.5
    model = fit(seen, variance)
    likelihood = Likelihood(seen)
    learned = [
        torch.tensor(each.weights[:, :-1, :-1], requires_grad=True)
        for each in (model.tags, model.relations, model.symbols)
    ]
    likelihood.backward(learned)
    for each in learned:
        total = each.grad + each.detach() / (variance * len(seen))
        assert total.abs().max() < 1e-4
        assert each.abs().max() > 0.05


def test_learned_orders_have_the_shares_that_were_seen():
    node = Node("NOUN", (ADJ, DET))
    shares = {(2, 0, 1): 600, (2, 1, 0): 300, (0, 1, 2): 100}
    model = fit([(node, order) for order, count in shares.items() for _ in range(count)], variance=100.0)
    found = dict(zip(map(tuple, orders(3).tolist()), model.probabilities(node), strict=True))
    for order, probability in found.items():
        assert probability == pytest.approx(shares.get(order, 0) / 1000, abs=0.01)


def test_blocks_of_nodes_change_nothing(monkeypatch):
    seen = observations(seed=8)
    whole = Likelihood(seen)
    weights = weights_of(whole, seed=9)
    value = whole.backward(weights)
    monkeypatch.setattr("xalign_fairseq.languages.order_learning._BLOCK", 1)
    single = Likelihood(seen)
    assert len(single.blocks) == len({node for node, _ in seen}) > len(whole.blocks)
    assert single.backward(weights) == pytest.approx(value, rel=1e-12)
