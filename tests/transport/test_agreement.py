"""Both sides' softmaxes against plain ones pair by pair; their gradient; padding; states that are not finite."""

import pytest
import torch
from support.links import random_pairs

from xalign_fairseq.transport.agreement import agreement


def plain(hidden, span, similarity, temperature):
    """log p and log q of one pair."""
    src, tgt = hidden[span[0] : span[1]], hidden[span[2] : span[3]]
    if similarity == "cosine":
        src, tgt = src / src.norm(dim=1, keepdim=True), tgt / tgt.norm(dim=1, keepdim=True)
    scores = (src @ tgt.T / temperature).exp()
    return (scores / scores.sum(1, keepdim=True)).log(), (scores / scores.sum(0, keepdim=True)).log()


@pytest.mark.parametrize(("similarity", "temperature"), [("cosine", 0.1), ("dot", 2.0)])
def test_each_pair_has_its_own_softmaxes(similarity, temperature):
    hidden, spans = random_pairs(4, 7, 8)
    hidden = hidden.double().requires_grad_()
    found = agreement(hidden, spans, similarity=similarity, temperature=temperature)
    total, expected = found.forward.new_zeros(()), found.forward.new_zeros(())
    for b, span in enumerate(spans.tolist()):
        n, m = span[1] - span[0], span[3] - span[2]
        assert found.inside[b].sum() == n * m and [int(each[b]) for each in found.lengths] == [n, m]
        for mine, theirs in zip(
            (found.forward, found.backward), plain(hidden[b], span, similarity, temperature), strict=True
        ):
            torch.testing.assert_close(mine[b, :n, :m], theirs)
            weights = torch.arange(n * m).view(n, m) % 5
            total, expected = total + (weights * mine[b, :n, :m]).sum(), expected + (weights * theirs).sum()
    mine, theirs = (torch.autograd.grad(each, hidden, retain_graph=True)[0] for each in (total, expected))
    torch.testing.assert_close(mine, theirs)
    assert mine.abs().max() > 1e-3


def test_the_gradient_is_that_of_differences():
    hidden, spans = random_pairs(2, 4, 4)
    found = lambda states: (agreement(states, spans).forward + agreement(states, spans).backward).masked_fill(  # noqa: E731
        ~agreement(states, spans).inside, 0.0
    )
    assert torch.autograd.gradcheck(found, (hidden.double().requires_grad_(),))


def test_half_precision_is_summed_in_float32_and_a_pair_that_is_not_finite_is_left_out():
    hidden, spans = random_pairs(3, 5, 8)
    found = agreement(hidden.bfloat16(), spans)
    assert found.forward.dtype == torch.float32
    hidden[1] = float("nan")
    broken = agreement(hidden, spans)
    assert not broken.inside[1].any() and broken.inside[0].any() and broken.forward.isfinite().all()
