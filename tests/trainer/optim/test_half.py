"""The float32 copies of half-precision parameters: fairseq's own are the reference, bit by bit."""

import pytest
import torch
from fairseq import optim
from fairseq.optim import FP16Optimizer
from support.half_precision import PRECISIONS, config, network

import xalign_fairseq
from xalign_fairseq.trainer.optim.half import HalfPrecision

xalign_fairseq.register()

WITH_COPIES = {name: PRECISIONS[name] for name in ("fp16", "fp16, not flat", "bf16")}
either = pytest.mark.parametrize("common", WITH_COPIES.values(), ids=WITH_COPIES)


def steps(cls, common, name="xalign_adamw", frozen=()):
    """Norms, weights and loss scales of updates that leave a layer without gradient, overflow, and have no backward."""
    model = network(**common)
    for number in frozen:
        model[number].requires_grad_(False)
    optimizer = cls.build_optimizer(config(name, **common), list(model.parameters()))
    found = []
    for number in range(12):
        optimizer.zero_grad()
        if number != 7:
            hidden = model[0](torch.arange(12).add(number).remainder(20))
            made = hidden if number == 3 else model[1:](hidden)
            optimizer.backward(made.float().square().sum() * (1e30 if number == 5 and "fp16" in common else 1))
        optimizer.multiply_grads(1 / torch.tensor(12.0))
        try:
            found.append(optimizer.clip_grad_norm(0.5).clone())
        except OverflowError:
            found.append(torch.tensor(torch.inf))
            continue
        optimizer.step()
    weights = [p.detach().clone() for p in model.parameters()]
    return torch.stack(found), weights, getattr(optimizer.scaler, "loss_scale", None), optimizer.state_dict()


@either
@pytest.mark.parametrize("name", ["xalign_adamw", "adam"])
def test_updates_are_fairseq_s_bit_by_bit(common, name):
    (norms, weights, scale, _), (expected, others, other_scale, _) = (
        steps(cls, common, name) for cls in (HalfPrecision, FP16Optimizer)
    )
    assert norms.equal(expected) and scale == other_scale
    assert norms.isinf().any() == ("fp16" in common) and norms[7] == 0
    assert all(one.equal(other) for one, other in zip(weights, others, strict=True))


def test_frozen_parameters_stay(frozen=(1,)):
    _, weights, *_ = steps(HalfPrecision, WITH_COPIES["bf16"], frozen=frozen)
    before = list(network(bf16=True).parameters())
    moved = [not one.equal(other) for one, other in zip(weights, before, strict=True)]
    assert moved == [True, False, False, True, True]


@either
def test_checkpoints_name_fairseq_s_class(common):
    assert HalfPrecision.__name__ == "FP16Optimizer" and optim.FP16Optimizer is FP16Optimizer
    state = steps(HalfPrecision, common)[3]
    other = FP16Optimizer.build_optimizer(config("xalign_adamw", **common), list(network(**common).parameters()))
    other.load_state_dict(state)
