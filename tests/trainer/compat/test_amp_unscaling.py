"""The loss scale has no effect on updates: those of ``--amp`` equal those of float32."""

import pytest
import torch
from fairseq import optim
from omegaconf import OmegaConf

import xalign_fairseq

xalign_fairseq.register()


def train(name, scale=None):
    """Weights after some updates by the trainer; ``scale``: of the loss, by torch's scaler on CPUs."""
    torch.manual_seed(1)
    model = torch.nn.Linear(6, 4)
    common = {"tpu": False, "fp16_init_scale": 1, "min_loss_scale": 1e-4}
    adam = {"_name": name, "adam_betas": "(0.9, 0.98)", "adam_eps": 1e-6, "weight_decay": 0.01, "lr": [0.01]}
    cfg = OmegaConf.create({"common": common, "optimizer": adam})
    build = optim.build_optimizer if scale is None else optim.AMPOptimizer.build_optimizer
    optimizer = build(cfg.optimizer if scale is None else cfg, list(model.parameters()))
    if scale is not None:
        optimizer._grad_scaler = torch.amp.GradScaler("cpu", init_scale=scale, growth_interval=2)
    for number in range(5):
        optimizer.zero_grad()
        optimizer.backward(model(torch.randn(3, 6, generator=torch.Generator().manual_seed(number))).square().sum())
        optimizer.multiply_grads(1 / 3)
        optimizer.clip_grad_norm(0.5)
        optimizer.step()
    return torch.cat([p.detach().flatten() for p in model.parameters()])


@pytest.mark.parametrize("name", ["adam", "xalign_adamw"])
def test_updates_are_those_without_a_scale(name):
    torch.testing.assert_close(train(name, 2.0**16), train(name), rtol=1e-5, atol=1e-6)
