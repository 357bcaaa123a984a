"""Maximum likelihood for the model of order: exact sums over all orders, L2, L-BFGS."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.languages.order_model import KINDS, Node, OrderModel, Template, active_features, keeps_like, orders

# A node and its observed order.
Observation = tuple[Node, tuple[int, ...]]
# The best of 0.1, 0.3, 1, 3, 10 on held-out French, for both nouns and verbs.
VARIANCE = 0.3
# Limit of orders times nodes whose scores are in memory.
_BLOCK = 1 << 21


def fit(observations: Iterable[Observation]) -> OrderModel:
    """Learn the weights w that maximise sum log p(order | node) - ``|w|^2 / (2 VARIANCE)``.

    An order lists element numbers from left to right; the head is 0. Equal dependents keep their order.
    """
    likelihood = Likelihood(observations)
    weights = [torch.zeros(len(KINDS), size, size, dtype=torch.float64) for size in likelihood.sizes]
    for each in weights:
        each.requires_grad_()
    optimizer = torch.optim.LBFGS(
        weights, max_iter=200, tolerance_grad=1e-5, tolerance_change=1e-9, line_search_fn="strong_wolfe"
    )

    def loss() -> float:
        optimizer.zero_grad()
        prior = sum((each.square().sum() for each in weights), torch.zeros(())) / (2 * VARIANCE * likelihood.count)
        prior.backward()
        return prior.item() + likelihood.backward(weights)

    optimizer.step(loss)
    return OrderModel(
        *(
            Template(names, np.pad(each.detach().numpy(), ((0, 0), (0, 1), (0, 1))))
            for names, each in zip(likelihood.names, weights, strict=True)
        )
    )


class Likelihood:
    """The mean negative log-likelihood of observed orders, and its gradient."""

    def __init__(self, observations: Iterable[Observation]):
        seen: dict[Node, Counter[tuple[int, ...]]] = defaultdict(Counter)
        for node, order in observations:
            seen[node][order] += 1
        elements = sorted({element for node in seen for element in node.elements})
        self.names: list[dict[Hashable, int]] = [
            _numbered(tag for tag, _ in elements),
            _numbered(relation for _, relation in elements),
            _numbered(elements),
        ]
        self.sizes = [len(names) for names in self.names]
        self.count = sum(counts.total() for counts in seen.values())
        by_size: dict[int, list[Node]] = defaultdict(list)
        for node in seen:
            by_size[1 + len(node.dependents)].append(node)
        self.blocks: list[_Block] = []
        for size, nodes in sorted(by_size.items()):
            step = max(1, _BLOCK // len(orders(size)))
            for start in range(0, len(nodes), step):
                self.blocks.append(_Block(nodes[start : start + step], seen, self.names))

    def backward(self, weights: Sequence[Tensor]) -> float:
        """Add the gradient to that of ``weights``; return the value."""
        total = 0.0
        for block in self.blocks:
            value = block.negative_log_likelihood(weights) / self.count
            value.backward()
            total += value.item()
        return total


class _Block:
    """Nodes with the same number of dependents, and the summed features of their observed orders."""

    def __init__(
        self, nodes: Sequence[Node], seen: dict[Node, Counter[tuple[int, ...]]], names: Sequence[dict[Hashable, int]]
    ):
        size = 1 + len(nodes[0].dependents)
        numbers = {tuple(order): number for number, order in enumerate(orders(size).tolist())}
        active = active_features(size)
        features = np.zeros((len(active), len(KINDS) * (size + 1) ** 2))
        np.put_along_axis(features, active, 1, 1)
        self.used = torch.from_numpy(np.flatnonzero(features.any(0)))
        self.features = torch.from_numpy(features[:, self.used].T.copy())
        counts = np.zeros((len(nodes), len(active)))
        for row, node in enumerate(nodes):
            for order, count in seen[node].items():
                counts[row, numbers[order]] += count
        self.counts = torch.from_numpy(counts.sum(1))
        self.observed = torch.from_numpy(counts @ features[:, self.used])
        self.barred = torch.from_numpy(~np.stack([keeps_like(node) for node in nodes]))
        self.numbers = [  # (nodes, elements): of the tags (template 0), relations (1), or both (2)
            torch.tensor([[seen[e if k == 2 else e[k]] for e in node.elements] for node in nodes])
            for k, seen in enumerate(names)
        ]

    def negative_log_likelihood(self, weights: Sequence[Tensor]) -> Tensor:
        """Summed over the observations, in nats."""
        each = [w[:, n[:, :, None], n[:, None, :]] for w, n in zip(weights, self.numbers, strict=True)]
        pairs = torch.stack(each).sum(0).transpose(0, 1).flatten(1)[:, self.used]
        log_z = (pairs @ self.features).masked_fill(self.barred, -torch.inf).logsumexp(1)
        return (self.counts * log_z).sum() - (self.observed * pairs).sum()


def _numbered(names: Iterable[Hashable]) -> dict[Hashable, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}
