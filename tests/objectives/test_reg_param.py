import pytest
import torch
from support.small import move
from support.word_pair_batches import Trial, batch

from xalign_fairseq.objectives.reg_param import RegParam


def moved(**options):
    """An encoder that has changed since its training began, and its old parameters."""
    trial = Trial(RegParam, **options)
    trial.loss(batch())
    before = {name: parameter.detach().clone() for name, parameter in trial.parameters.items()}
    move(trial.encoder)
    return trial, before


@pytest.mark.parametrize("form", ["squared", "norm"])
def test_equals_the_equation(form):
    trial, before = moved(form=form)
    loss, gradient = trial.gradient(batch())
    squared = 0.0
    for name, parameter in trial.parameters.items():
        for now, then in zip(parameter.flatten().tolist(), before[name].flatten().tolist(), strict=True):
            squared += (now - then) ** 2
    expected = squared if form == "squared" else squared**0.5
    assert loss.total.item() == pytest.approx(expected, rel=1e-12)
    assert loss.count.item() == 1
    assert loss.stats["distance"][0].item() == pytest.approx(squared**0.5)
    for name, parameter in trial.parameters.items():
        slope = 2 * (parameter - before[name]) / (1 if form == "squared" else 2 * squared**0.5)
        assert torch.allclose(gradient[name], slope, rtol=1e-12), name


def test_the_mlm_head_is_free():
    trial, _ = moved()
    before = trial.loss(batch()).total.item()
    with torch.no_grad():
        trial.encoder.lm_head.dense.weight.add_(1)
        trial.encoder.lm_head.bias.add_(1)
    assert trial.loss(batch()).total.item() == before


@pytest.mark.parametrize("form", ["squared", "norm"])
def test_is_zero_before_training_begins(form):
    trial = Trial(RegParam, form=form)
    assert trial.loss(batch(), training=False).total.item() == 0
    assert not trial.heads["reg_param"].started
