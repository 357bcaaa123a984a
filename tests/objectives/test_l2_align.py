import pytest
import torch
from support.word_pair_batches import SENTENCES, Trial, batch

from xalign_fairseq.objectives.l2_align import L2Align


@pytest.mark.parametrize("layer", [-1, 1])
@pytest.mark.parametrize("pooling", ["first", "mean"])
def test_equals_the_equation(pooling, layer):
    trial = Trial(L2Align, pooling=pooling, layer=layer)
    loss = trial.loss(batch())
    expected = sum(((s - t) ** 2).sum().item() for s, t, *_ in trial.pairs(pooling=pooling, layer=layer))
    assert loss.total.item() == pytest.approx(expected, rel=1e-10) and expected > 1
    assert loss.count.item() == 9


def test_both_sides_get_the_gradient():
    trial = Trial(L2Align)
    step, given = trial.passes(), batch()
    states = [step.states(given.bitext.side(side)).layer(-1) for side in (0, 1)]
    grads = torch.autograd.grad(trial.loss(given, passes=step).total, states)
    s, t = trial.pairs(SENTENCES[3:])[0][:2]
    assert torch.allclose(grads[0][3, 1], 2 * (s - t)) and torch.allclose(grads[1][3, 1], 2 * (t - s))
