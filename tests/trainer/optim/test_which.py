"""Which optimizer computes a run's updates."""

import pytest
import torch

from xalign_fairseq.trainer.optim import kernels
from xalign_fairseq.trainer.optim.adamw import FoldedAdamW
from xalign_fairseq.trainer.optim.which import which_optimizer

OURS = "xalign_fairseq.trainer.optim.adamw.FoldedAdamW, kernel: "


def parameters():
    return [torch.nn.Parameter(torch.ones(2, 3))]


def test_ours_by_its_kernel(monkeypatch):
    assert which_optimizer(FoldedAdamW(parameters())) == OURS + "torch (fused)"
    monkeypatch.setattr(kernels, "has_apex", lambda: True)
    assert which_optimizer(FoldedAdamW(parameters(), kernel="apex")) == OURS + "apex"


@pytest.mark.parametrize(("fused", "kernel"), [(True, "torch (fused)"), (None, "not known")])
def test_torch_s_own(fused, kernel):
    found = which_optimizer(torch.optim.AdamW(parameters(), fused=fused))
    assert found == f"torch.optim.adamw.AdamW, kernel: {kernel}"
