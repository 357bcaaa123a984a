import math

import pytest
import torch

from xalign_fairseq.transport.pointer import Pointer

SPANS = torch.tensor([[1, 4, 5, 7], [1, 3, 4, 8]])


def build():
    torch.manual_seed(0)
    pointer = Pointer(6).double()
    for parameter in pointer.parameters():
        torch.nn.init.normal_(parameter)
    return pointer, torch.randn(2, 9, 6, dtype=torch.float64)


def restatement(pointer, hidden, spans, queries, labels):
    """Eq. 11 to 15 in plain loops."""
    total, correct = 0.0, 0
    for b in range(len(hidden)):
        s0, s1, t0, t1 = spans[b].tolist()
        for i in range(hidden.shape[1]):
            if not queries[b, i]:
                continue
            keys = range(t0, t1) if s0 <= i < s1 else range(s0, s1)
            q = pointer.query.weight @ hidden[b, i] + pointer.query.bias
            scores = [
                (q @ (pointer.key.weight @ hidden[b, j] + pointer.key.bias)).item() / math.sqrt(hidden.shape[2])
                for j in keys
            ]
            norm = math.log(sum(math.exp(s) for s in scores))
            total -= scores[list(keys).index(int(labels[b, i]))] - norm
            correct += list(keys)[scores.index(max(scores))] == int(labels[b, i])
    return total, correct


def test_the_loss_equals_the_equations():
    pointer, _ = build()
    spans = torch.tensor([[1, 6, 7, 14], [1, 4, 5, 7], [1, 7, 8, 14]])
    hidden = torch.randn(3, 15, 6, dtype=torch.float64)
    labels = torch.full((3, 15), -1)
    for b, (s0, s1, t0, t1) in enumerate(spans.tolist()):
        for i in range(s0, s1):
            labels[b, i] = t0 + (i * 7) % (t1 - t0)
        labels[b, t0] = s1 - 1
    queries = (labels >= 0) & (torch.rand(labels.shape) < 0.7)
    total, correct = pointer.loss(hidden, spans, queries, labels)
    expected, expected_correct = restatement(pointer, hidden, spans, queries, labels)
    assert queries.sum() > 8
    assert total.item() == pytest.approx(expected, rel=1e-10)
    assert correct.item() == expected_correct


def test_without_a_query_it_still_has_a_zero_gradient():
    pointer = Pointer(16)
    hidden = torch.randn(2, 7, 16, requires_grad=True)
    spans = torch.tensor([[1, 3, 4, 6], [1, 2, 3, 6]])
    total, correct = pointer.loss(hidden, spans, torch.zeros(2, 7, dtype=torch.bool), torch.full((2, 7), -1))
    total.backward()
    assert total == 0 and correct == 0
    assert all(p.grad is not None and (p.grad == 0).all() for p in pointer.parameters())


def test_similarity_is_proportional_to_the_geometric_mean_of_both_directions():
    pointer, hidden = build()
    similarity, src_mask, _tgt_mask = pointer.similarity(hidden, SPANS)
    for b, (s0, s1, t0, t1) in enumerate(SPANS.tolist()):
        for i in range(s0, s1):
            for j in range(t0, t1):
                forward = pointer.query(hidden[b, i]) @ pointer.key(hidden[b, j])
                backward = pointer.query(hidden[b, j]) @ pointer.key(hidden[b, i])
                expected = math.exp(float((forward + backward).detach()) / (2 * math.sqrt(6)))
                assert similarity[b, i - s0, j - t0].item() == pytest.approx(expected, rel=1e-12)
    assert src_mask.tolist() == [[True] * 3, [True, True, False]]
    assert (similarity[1, 2] == 0).all() and (similarity[0, :, 2:] == 0).all()


def test_identity_weights_give_dot_products():
    torch.manual_seed(0)
    hidden = torch.randn(2, 9, 6, dtype=torch.float64)
    positions = torch.tensor([[1, 2, 6], [2, 4, 7]])
    found = Pointer(6, "identity").double().log_probabilities(hidden, SPANS, positions)
    for b, (s0, s1, t0, t1) in enumerate(SPANS.tolist()):
        for row, i in enumerate(positions[b].tolist()):
            keys = slice(t0, t1) if s0 <= i < s1 else slice(s0, s1)
            expected = (hidden[b, keys] @ hidden[b, i] / math.sqrt(6)).log_softmax(0)
            torch.testing.assert_close(found[b, row, keys], expected)


def test_scores_of_a_confident_pointer_are_not_clipped():
    pointer, hidden = build()
    with torch.no_grad():
        pointer.query.weight.mul_(8), pointer.query.bias.mul_(8)
    found = pointer.similarity(hidden, SPANS)[0][0, :3, :2].log()
    q, k = pointer.query(hidden[0]), pointer.key(hidden[0])
    both = (q[1:4] @ k[5:7].T + k[1:4] @ q[5:7].T) / (2 * math.sqrt(6))
    assert both.abs().max() > 20
    torch.testing.assert_close(found, both)
