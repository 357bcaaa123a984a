"""The cost of transport between both sides, against plain loops over pairs; its gradient; unusual pairs."""

import pytest
import torch
from support.word_pair_batches import DE, EN, SENTENCES, Trial, assert_same_gradient, batch

from xalign_fairseq.objectives.ot_align import OtAlign


def plain_cost(one, sentence):
    """The cost of one pair, encoded without padding, and the mass of the best partners."""
    layer = one.objective.trained_layer
    src, tgt = (one.hidden(sentence, side, layer)[1:-1] for side in (0, 1))
    cosine = (src / src.norm(dim=1, keepdim=True)) @ (tgt / tgt.norm(dim=1, keepdim=True)).T
    n, m = cosine.shape
    kernel, u = (cosine / 0.1).exp(), torch.ones_like(cosine[:, 0])
    for _ in range(20):
        v = (1 / m) / (kernel.T @ u)
        u = (1 / n) / (kernel @ v)
    plan = u[:, None] * kernel * v
    return (plan * (1 - cosine)).sum(), plan.amax(1).sum().item()


@pytest.mark.parametrize("layer", [1, 2])
def test_loss_and_gradient_equal_the_restatement(layer):
    one = Trial(OtAlign, layer=layer)
    loss, gradient = one.gradient(batch())
    costs, best = zip(*(plain_cost(one, sentence) for sentence in SENTENCES), strict=True)
    assert loss.total.item() == pytest.approx(sum(costs).item(), rel=1e-9) and loss.total.item() > 0.1
    assert loss.count.item() == 4
    assert [each.item() for each in loss.stats["best_partner"]] == pytest.approx([sum(best), 4])
    assert [each.item() for each in loss.stats["pairs_without_plan"]] == [0, 4]
    assert_same_gradient(one, gradient, sum(costs))


def test_pairs_with_an_empty_side_cost_nothing():
    one = Trial(OtAlign)
    empty = [((EN, DE), [[5], [6]], [], [], True), ((DE, EN), [], [], [], True)]
    alone, gradient = one.gradient(batch(empty))
    assert alone.total.item() == 0 and alone.count.item() == 0 and alone.stats["pairs_without_plan"][0] == 0
    assert not any(grad.any() for grad in gradient.values() if grad is not None)
    beside = one.loss(batch([*SENTENCES, *empty]))
    assert beside.total.item() == pytest.approx(one.loss(batch()).total.item()) and beside.count.item() == 4


def test_a_pair_without_finite_states_is_counted_and_left_out():
    one = Trial(OtAlign)
    expected = one.loss(batch(SENTENCES[:3]))
    with torch.no_grad():  # only the last pair has the token 46
        one.encoder.sentence_encoder.embed_tokens.weight[46] = torch.nan
    loss = one.loss(batch())
    assert loss.total.item() == pytest.approx(expected.total.item()) and loss.count.item() == 3
    assert [part.item() for part in loss.stats["pairs_without_plan"]] == [1, 4]
