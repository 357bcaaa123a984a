"""Links by transport with a dustbin: which remain, and with what probability."""

import math
import random

import pytest
import torch
from support.links import draw, method_matrices, mutual, similarities

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.token_links import partners_of_matrix
from xalign_fairseq.transport.unbalanced import Dustbin, dustbin_plan


@pytest.mark.parametrize("filter", ["argmax", "itermax", "union"])
def test_the_dustbin_keeps_links_more_likely_than_no_link(filter):
    pairs, hidden, spans = draw(4)
    links, probability = method_matrices(Dustbin(0.45, mu=0.2, iterations=30, filter=filter), hidden, spans)
    dropped = 0
    for k, (src, tgt) in enumerate(pairs):
        cosines = torch.tensor(similarities(src, tgt), dtype=torch.float64) * 2 - 1
        low, high = cosines.min(), cosines.max()
        scores = (cosines - low) / (high - low) if high > low else torch.ones_like(cosines)
        masks = (torch.ones(1, size, dtype=torch.bool) for size in cosines.shape)
        [plan] = dustbin_plan(scores[None], *masks, 0.45, mu=0.2, iterations=30)
        inner = plan[:-1, :-1]
        values = (inner * ((inner > plan[:-1, -1:]) | (inner > plan[-1:, :-1]))).tolist()
        survivors = {(i, j) for i, row in enumerate(values) for j, value in enumerate(row) if value > 0}
        found = {(i, j) for i, j in links[k].nonzero().tolist()}
        assert found <= survivors and mutual(values) & survivors <= found
        if filter == "argmax":
            assert found == mutual(values) & survivors
        dropped += len(mutual(inner.tolist()) - found)
        for i, j in found:
            share = inner[i, j] / (plan[i].sum() * plan[:, j].sum()).sqrt()
            assert float(probability[k, i, j]) == pytest.approx(float(share))
    assert dropped > 3 and links.any()


def test_labels_are_the_links_of_the_batch():
    _, hidden, spans = draw(8)
    method = Dustbin(0.4, filter="itermax")
    links, _ = method_matrices(method, hidden, spans)
    labels = method.labels(hidden, spans)
    assert torch.equal(labels, partners_of_matrix(links, spans, hidden.shape[1])) and (labels >= 0).sum() > 20
    assert torch.equal(method.labels(hidden, spans, sizes=(9, 9)), labels)


def plan_of(scores, dustbin, mu, iterations):
    """The plan of one pair by plain loops on the kernel, not on its logarithm."""
    n, m = len(scores), len(scores[0])
    kernel = [[math.exp(value / mu) for value in (*row, dustbin)] for row in scores]
    kernel.append([math.exp(dustbin / mu)] * (m + 1))
    row_mass, column_mass = [*[1.0] * n, m], [*[1.0] * m, n]
    for _ in range(iterations):
        for i in range(n + 1):
            scale = row_mass[i] / sum(kernel[i])
            kernel[i] = [value * scale for value in kernel[i]]
        for j in range(m + 1):
            scale = column_mass[j] / sum(row[j] for row in kernel)
            for row in kernel:
                row[j] *= scale
    return kernel


def ragged(count, seed):
    rng = random.Random(seed)
    pairs = [
        [[rng.random() for _ in range(m)] for _ in range(n)]
        for n, m in [(1, 1), *((rng.randint(1, 7), rng.randint(1, 7)) for _ in range(count))]
    ]
    n, m = max(map(len, pairs)), max(len(pair[0]) for pair in pairs)
    scores = torch.full((len(pairs), n, m), float("nan"), dtype=torch.float64)
    masks = torch.zeros(len(pairs), n, dtype=torch.bool), torch.zeros(len(pairs), m, dtype=torch.bool)
    for k, pair in enumerate(pairs):
        scores[k, : len(pair), : len(pair[0])] = torch.tensor(pair, dtype=torch.float64)
        masks[0][k, : len(pair)] = True
        masks[1][k, : len(pair[0])] = True
    return pairs, scores, *masks


@pytest.mark.parametrize(("dustbin", "mu", "iterations"), [(0.5, 0.1, 20), (0.0, 1.0, 1), (1.0, 0.05, 3)])
def test_plans_equal_plain_loops(dustbin, mu, iterations):
    pairs, scores, src_mask, tgt_mask = ragged(12, seed=1)
    plans = dustbin_plan(scores, src_mask, tgt_mask, dustbin, mu=mu, iterations=iterations)
    for pair, plan in zip(pairs, plans, strict=True):
        n, m = len(pair), len(pair[0])
        # The dustbin is the pair's own last row and column, not the padding's.
        rows, columns = [*range(n), plan.shape[0] - 1], [*range(m), plan.shape[1] - 1]
        expected = torch.tensor(plan_of(pair, dustbin, mu, iterations), dtype=torch.float64)
        torch.testing.assert_close(plan[rows][:, columns], expected)
        assert plan.count_nonzero() == (n + 1) * (m + 1)


def test_gradients_flow_to_scores_and_dustbin_and_none_to_padding():
    _, scores, src_mask, tgt_mask = ragged(3, seed=3)
    inside = src_mask[:, :, None] & tgt_mask[:, None, :]
    dustbin = torch.tensor(0.4, dtype=torch.float64, requires_grad=True)

    def plan(scores, dustbin):
        return dustbin_plan(scores, src_mask, tgt_mask, dustbin, mu=0.3, iterations=4)

    assert torch.autograd.gradcheck(plan, (scores.nan_to_num().requires_grad_(), dustbin))
    # Padding is not read: its value is NaN, and its gradient is 0.
    plan(scores.requires_grad_(), dustbin).square().sum().backward()
    assert scores.grad.isfinite().all() and scores.grad[~inside].eq(0).all()


def test_narrow_dtypes_empty_sides_and_wrong_shapes():
    mask = torch.ones(2, 3, dtype=torch.bool)
    assert dustbin_plan(torch.rand(2, 3, 3).bfloat16(), mask, mask, 0.5).dtype == torch.float32
    plan = dustbin_plan(torch.rand(2, 3, 0), mask, mask[:, :0], 0.5)
    assert plan.shape == (2, 4, 1) and plan.isfinite().all()
    with pytest.raises(XalignError, match=r"\(2, 3, 3\)"):
        dustbin_plan(torch.rand(2, 3, 3), mask, mask[:, :2], 0.5)
