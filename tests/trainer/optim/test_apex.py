"""NVIDIA's apex by its published interface: the compiled function's arguments, and other packages of that name."""

import contextlib
import importlib.machinery
import sys
import types

import pytest
import torch
from fairseq.optim import fused_adam
from fairseq.optim.adam import FairseqAdam, FairseqAdamConfig

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer.optim.adamw import FoldedAdamW
from xalign_fairseq.trainer.optim.apex import apex_step


def test_the_namesake_on_pypi_is_not_mistaken_for_apex(tmp_path, monkeypatch):
    p = [torch.nn.Parameter(torch.ones(2))]
    (tmp_path / "apex").mkdir()
    (tmp_path / "apex" / "__init__.py").write_text("raise AssertionError('imported')\n")
    (tmp_path / "amp_C.py").write_text("")  # not a compiled module
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(XalignError, match="is not installed with its CUDA"):
        FoldedAdamW(p, kernel="apex")
    (tmp_path / "amp_C.py").unlink()
    (tmp_path / f"amp_C{importlib.machinery.EXTENSION_SUFFIXES[0]}").write_bytes(b"")
    importlib.invalidate_caches()
    assert FoldedAdamW(p, kernel="apex").kernel == "apex"
    with pytest.raises(XalignError, match="torch or apex"):
        FoldedAdamW(p, kernel="triton")


def test_apex_makes_the_updates_of_torch_s_operator(monkeypatch):
    """A stand-in for the compiled function computes what its CUDA source does."""

    def multi_tensor_adam_capturable(
        chunk, noop, lists, lr, beta1, beta2, eps, step, mode, correction, decay, inv_scale
    ):
        assert (noop.dtype, step.dtype, lr.dtype, inv_scale.dtype) == (*[torch.int32] * 2, *[torch.float32] * 2)
        assert chunk == 65536 and mode == 1 and correction == 1 and noop.item() == 0
        for g, p, m, v in zip(*lists, strict=True):
            g.mul_(inv_scale)
            m.mul_(beta1).add_(g, alpha=1 - beta1)
            v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
            unbiased = v / (1 - beta2 ** step.item())
            p.sub_(lr * (m / (1 - beta1 ** step.item()) / (unbiased.sqrt() + eps) + decay * p))

    stand_in = types.SimpleNamespace(multi_tensor_adam_capturable=multi_tensor_adam_capturable)
    monkeypatch.setitem(sys.modules, "amp_C", stand_in)
    lists = [list(part) for part in zip(*(torch.rand(4, *shape).unbind() for shape in ((4, 2), (3,))), strict=True)]
    gradients, values, exp_avgs, exp_avg_sqs = expected = [[each.clone() for each in part] for part in lists]
    counts = [torch.tensor(5.0)] * 2
    rates = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "weight_decay": 0.3, "eps": 1e-2}
    plain = {"amsgrad": False, "maximize": False, "grad_scale": torch.tensor(4.0), "found_inf": None}
    torch._fused_adamw_(values, gradients, exp_avgs, exp_avg_sqs, [], counts, **rates, **plain)
    apex_step(lists, 5, 0.1, (0.9, 0.99), 1e-2, 0.3, torch.tensor(0.25))
    for mine, theirs in zip(lists, expected, strict=True):
        for one, other in zip(mine, theirs, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)


@pytest.fixture
def installed(monkeypatch):
    """Stand-ins for apex's Python modules and a GPU, as fairseq sees them."""

    def multi_tensor_adam(noop, lists, lr, beta1, beta2, eps, step, decoupled, correction, decay):
        assert decoupled and correction == 1
        gradients, values, exp_avgs, exp_avg_sqs = lists
        steps, rates = [torch.tensor(float(step - 1)) for _ in values], {"lr": lr, "beta1": beta1, "beta2": beta2}
        torch._foreach_add_(steps, 1)
        more = {"weight_decay": decay, "eps": eps, "amsgrad": False, "maximize": False}
        torch._fused_adamw_(values, gradients, exp_avgs, exp_avg_sqs, [], steps, **rates, **more)

    class FusedAdam(torch.optim.Optimizer):
        def __init__(self, params, lr, betas, eps, weight_decay):
            group = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "bias_correction": True}
            super().__init__(params, group)
            self.adam_w_mode, self._dummy_overflow_buf = 1, torch.zeros(1, dtype=torch.int)
            self.multi_tensor_adam = multi_tensor_adam

    def applier(function, noop, lists, *values):
        function(noop, lists, *values)

    applier.available = True
    for name, content in (
        ("apex", {}),
        ("apex.multi_tensor_apply", {"multi_tensor_applier": applier}),
        ("apex.optimizers", {"FusedAdam": FusedAdam}),
    ):
        monkeypatch.setitem(sys.modules, name, types.SimpleNamespace(**content))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device", lambda device: contextlib.nullcontext())
    importlib.reload(fused_adam)
    yield FusedAdam
    monkeypatch.undo()
    importlib.reload(fused_adam)


def test_fairseq_s_adam_makes_the_same_updates_by_apex(installed):
    config = FairseqAdamConfig(lr=[0.1], adam_betas="(0.9, 0.98)", adam_eps=1e-8, weight_decay=0.1, tpu=False)
    start, classes, found = torch.rand(3, 2), [], []
    for old in (False, True):
        config.use_old_adam = old
        weight = torch.nn.Parameter(start.clone())
        adam = FairseqAdam(config, [weight])
        for factor in (1.0, -2.0):
            weight.grad = factor * torch.arange(6.0).view(3, 2)
            adam.step()
        classes.append(isinstance(adam.optimizer, installed))
        found.append(weight.detach())
    assert classes == [True, False]
    torch.testing.assert_close(*found)
