import importlib.machinery
import math
import sys
import types

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer.optim import kernels
from xalign_fairseq.trainer.optim.kernels import Part, Rule, apex_kernel, choose_kernel, has_apex, torch_kernel


def test_the_namesake_on_pypi_is_not_taken_for_apex(tmp_path, monkeypatch):
    (tmp_path / "apex").mkdir()
    (tmp_path / "apex" / "__init__.py").write_text("raise AssertionError('imported')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert not has_apex()
    (tmp_path / "amp_C.py").write_text("")  # no compiled module
    importlib.invalidate_caches()
    assert not has_apex()
    with pytest.raises(XalignError, match="NVIDIA's apex is not installed"):
        choose_kernel("apex")
    (tmp_path / "amp_C.py").unlink()
    (tmp_path / f"amp_C{importlib.machinery.EXTENSION_SUFFIXES[0]}").write_bytes(b"")
    importlib.invalidate_caches()
    assert has_apex() and choose_kernel("apex") is apex_kernel


def test_kernels_by_name():
    assert choose_kernel("torch") is torch_kernel
    with pytest.raises(XalignError, match="torch or apex"):
        choose_kernel("triton")


def test_apex_s_kernel_is_given_what_torch_s_is(monkeypatch):
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
    results = []
    for kernel in (torch_kernel, apex_kernel):
        torch.manual_seed(1)
        parts = [Part(*torch.randn(3, *shape).unbind(), torch.rand(shape)) for shape in ((4, 2), (3,))]
        kernel(parts, Rule(5, 0.1, (0.9, 0.99), 1e-2, 0.3, torch.tensor(0.25)))
        results.append(parts)
    for mine, theirs in zip(*results, strict=True):
        for one, other in zip(mine, theirs, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)


def test_eps_is_added_before_the_second_moment_is_corrected():
    rule = Rule(3, 0.1, (0.9, 0.99), 1e-2, 0.0, 1.0)
    assert rule.eps_behind_correction * math.sqrt(1 - 0.99**3) == pytest.approx(1e-2)


def test_a_factor_of_one_scales_nothing(monkeypatch):
    given = []
    monkeypatch.setattr(kernels.torch, "_fused_adamw_", lambda *args, grad_scale, **rest: given.append(grad_scale))
    part = Part(*torch.ones(4, 2).unbind())
    for factor in (1.0, 2.0, torch.tensor(4.0)):
        torch_kernel([part], Rule(1, 0.1, (0.9, 0.99), 1e-8, 0.0, factor))
    assert given == [None, torch.tensor(0.5), torch.tensor(0.25)]
