import pytest
import torch
from fairseq import utils

import xalign_fairseq

xalign_fairseq.register()


@pytest.fixture
def a_gpu(monkeypatch):
    """fairseq sees a GPU, but tensors on it are on a device that can't compute."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: "meta")


@pytest.mark.parametrize("whole", [list, iter])
def test_a_cpu_run_on_a_gpu_machine_clips_on_the_cpu(a_gpu, whole):
    params = [torch.nn.Parameter(torch.zeros(size)) for size in ((2,), (1, 1), (3,))]
    params[0].grad, params[1].grad = torch.tensor([3.0, 4.0]), torch.tensor([[12.0]])
    norm = utils.clip_grad_norm_(whole(params), 6.5, aggregate_norm_fn=lambda norm: 2 * norm)
    assert norm.item() == pytest.approx(26)
    assert params[0].grad.tolist() == pytest.approx([0.75, 1.0]) and params[1].grad.item() == pytest.approx(3)
    assert torch.cuda.is_available()


def test_gradients_on_other_devices_are_left_to_fairseq(a_gpu, monkeypatch):
    seen = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: seen.append(1) or True)
    p = torch.nn.Parameter(torch.zeros(2, device="meta"))
    p.grad = torch.zeros(2, device="meta")
    q = torch.nn.Parameter(torch.zeros(2, device="meta"))
    q.grad = torch.zeros(2, device="meta")
    assert utils.clip_grad_norm_([p, q], 1.0).device.type == "meta" and seen
