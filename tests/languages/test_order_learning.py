import itertools
import math
import random

import pytest
import torch
from support.grammar import ADJ, DET, NMOD, by_loops

from xalign_fairseq.languages.order_learning import VARIANCE, Likelihood, fit
from xalign_fairseq.languages.order_model import Node


def observations(seed, count=30):
    """Random nodes and orders, with equal dependents in their order."""
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
    seen = observations(seed=6, count=60)
    model = fit(seen)
    likelihood = Likelihood(seen)
    learned = [
        torch.tensor(each.weights[:, :-1, :-1], requires_grad=True)
        for each in (model.tags, model.relations, model.symbols)
    ]
    likelihood.backward(learned)
    for each in learned:
        assert (each.grad + each.detach() / (VARIANCE * len(seen))).abs().max() < 1e-4
        assert each.abs().max() > 0.05
