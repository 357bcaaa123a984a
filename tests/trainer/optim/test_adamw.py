import math

import pytest
import torch
from support.gpu_device import ON, lacking, no_waiting, there

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer.optim.adamw import MOMENTS, FoldedAdamW

OPTIONS = {"lr": 0.02, "betas": (0.9, 0.98), "eps": 1e-3, "weight_decay": 0.1}


def defined(p, gradients, lr, betas, eps, weight_decay, touched=None):
    """The docstring's equations over several updates; ``touched``: rows to step in each, by default all."""
    m, v = torch.zeros_like(p), torch.zeros_like(p)
    for t, g in enumerate(gradients, 1):
        rows = slice(None) if touched is None else touched[t - 1]
        m[rows] = betas[0] * m[rows] + (1 - betas[0]) * g[rows]
        v[rows] = betas[1] * v[rows] + (1 - betas[1]) * g[rows] ** 2
        size = lr * math.sqrt(1 - betas[1] ** t) / (1 - betas[0] ** t)
        p[rows] = (1 - lr * weight_decay) * p[rows] - size * m[rows] / (v[rows].sqrt() + eps)
    return p, m, v


def draw(*shape, seed=0, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def stepped(p, gradients, optimizer=None, **options):
    """An optimizer after one step for each gradient."""
    optimizer = optimizer or FoldedAdamW([p], **{**OPTIONS, **options})
    for gradient in gradients:
        optimizer.zero_grad()
        p.grad = gradient.clone()
        optimizer.step()
    return optimizer


def sparse(dense, rows):
    """A gradient of some rows, each given in two halves: repeated and unsorted."""
    rows = torch.tensor([*rows, *reversed(rows)], dtype=torch.long)
    return torch.sparse_coo_tensor(rows[None], dense[rows] / 2, dense.shape, check_invariants=True)


def near(found, expected, tolerance=1e-12):
    torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance)


def test_dense_updates_equal_the_equations():
    start, gradients = draw(7, 3), [draw(7, 3, seed=n) for n in range(1, 9)]
    p = torch.nn.Parameter(start.clone())
    optimizer = stepped(p, gradients)
    expected = defined(start.clone(), gradients, **OPTIONS)
    for found, wanted in zip((p.data, *(optimizer.state[p][name] for name in MOMENTS)), expected, strict=True):
        near(found, wanted)


def test_parameters_with_gradients_at_times_count_their_own_updates():
    start, gradients = draw(5), [draw(5, seed=n) for n in range(1, 5)]
    often, seldom = (torch.nn.Parameter(start.clone()) for _ in range(2))
    optimizer = FoldedAdamW([often, seldom], **OPTIONS)
    for n, gradient in enumerate(gradients):
        often.grad, seldom.grad = gradient.clone(), gradient.clone() if n % 2 else None
        optimizer.step()
    near(often.data, defined(start.clone(), gradients, **OPTIONS)[0])
    near(seldom.data, defined(start.clone(), gradients[1::2], **OPTIONS)[0])


def test_only_rows_with_sparse_gradients_follow_the_equations():
    start, gradients = draw(6, 3), [draw(6, 3, seed=n) for n in range(1, 7)]
    touched = [[4, 0], [0], [2, 1, 4], [4], [], [0, 4]]
    p = torch.nn.Parameter(start.clone())
    optimizer = stepped(p, [sparse(g, rows) for g, rows in zip(gradients, touched, strict=True)])
    expected = defined(start.clone(), gradients, touched=touched, **OPTIONS)
    for found, wanted in zip((p.data, *(optimizer.state[p][name] for name in MOMENTS)), expected, strict=True):
        near(found, wanted)
    assert p[[3, 5]].equal(start[[3, 5]])


@pytest.mark.parametrize("max_norm", [0.0, 0.5, 1e9])
@pytest.mark.parametrize("lazily", [False, True])
def test_scaling_and_clipping_are_those_of_the_gradients_themselves(max_norm, lazily):
    gradient, other = draw(6, 3), draw(4, seed=2)
    found, wanted = ([torch.nn.Parameter(draw(*g.shape, seed=3)) for g in (gradient, other)] for _ in range(2))
    optimizer, plain = (FoldedAdamW(each, **OPTIONS) for each in (found, wanted))
    if lazily:
        gradient[3:] = 0
    for step in range(4):
        found[0].grad = sparse(gradient, [0, 1, 2]) if lazily else gradient.clone()
        wanted[0].grad = sparse(gradient, [0, 1, 2]).coalesce() if lazily else gradient.clone()
        found[1].grad, wanted[1].grad = other.clone(), other.clone()
        optimizer.multiply(0.25)
        optimizer.multiply(torch.tensor(0.5) * (step + 1))
        for p in wanted:
            p.grad.mul_(0.125 * (step + 1))
        norm = torch.cat([gradient.flatten(), other]).norm() * 0.125 * (step + 1)
        near(optimizer.clip(max_norm), norm)
        if 0 < max_norm < norm:
            for p in wanted:
                p.grad.mul_(max_norm / (norm + 1e-6))
        optimizer.step()
        plain.step()
        for mine, theirs in zip(found, wanted, strict=True):
            near(mine.data, theirs.data, 1e-6)  # the factor is a float32 number
            near(optimizer.state[mine]["exp_avg"], plain.state[theirs]["exp_avg"], 1e-6)


def test_a_factor_is_for_one_update():
    p = torch.nn.Parameter(torch.zeros(2))
    optimizer = FoldedAdamW([p], lr=1.0)
    for forget in (optimizer.step, optimizer.zero_grad):
        p.grad = torch.tensor([3.0, 4.0])
        optimizer.multiply(10)
        forget()
        p.grad = torch.tensor([3.0, 4.0])
        assert optimizer.clip(0) == 5


def test_the_norm_covers_all_workers_on_request():
    p = torch.nn.Parameter(torch.zeros(1))
    optimizer = FoldedAdamW([p])
    p.grad = torch.tensor([3.0])
    optimizer.multiply(2)
    assert optimizer.clip(1.0, lambda norm: (norm**2 + 64).sqrt()) == 10
    assert float(optimizer.factor) == pytest.approx(0.2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("lazily", [False, True])
def test_half_precision_is_stepped_in_float32_and_keeps_float32_moments(dtype, lazily):
    start, gradients = draw(4, 3, dtype=dtype), [draw(4, 3, seed=n, dtype=dtype) for n in range(1, 4)]
    rows = [0, 1, 2, 3]
    p, single = torch.nn.Parameter(start.clone()), torch.nn.Parameter(start.float())
    optimizer, expected = FoldedAdamW([p], **OPTIONS), FoldedAdamW([single], **OPTIONS)
    for g in gradients:
        p.grad = sparse(g, rows) if lazily else g.clone()
        single.grad = g.float()
        optimizer.step()
        expected.step()
        single.data.copy_(single.data.to(dtype))
    near(p.float(), single, 2 * torch.finfo(dtype).eps)
    for name in MOMENTS:
        assert optimizer.state[p][name].dtype == torch.float32
        near(optimizer.state[p][name], expected.state[single][name], 1e-6)


def test_a_closure_is_called_with_gradients():
    p = torch.nn.Parameter(torch.ones(1))
    optimizer = FoldedAdamW([p], lr=0.1)

    def closure():
        loss = 3 * p.sum()
        loss.backward()
        return loss

    assert optimizer.step(closure) == 3
    assert p.item() == pytest.approx(0.9)


@pytest.mark.parametrize("apex", [False, True])
def test_a_state_of_torch_s_adamw_and_of_apex_can_be_resumed(apex):
    p = torch.nn.Parameter(draw(3))
    theirs = torch.optim.AdamW([p])
    state = stepped(p, [draw(3, seed=1)] * 2, theirs).state_dict()
    if apex:  # counts the updates of a group
        state["param_groups"][0]["step"] = int(state["state"][0].pop("step"))
    mine = FoldedAdamW([p])
    mine.load_state_dict(state)
    assert mine.state[p]["step"] == 2 and mine.state[p]["exp_avg"].equal(theirs.state[p]["exp_avg"])


@pytest.mark.parametrize(
    "state, found",
    [
        ({"momentum_buffer": torch.ones(3)}, r"momentum_buffer': \(3,\)"),
        ({"step": 1, "exp_avg": torch.ones(3), "exp_avg_sq": torch.ones(4)}, r"exp_avg_sq': \(4,\)"),
        ({"exp_avg": torch.ones(3), "exp_avg_sq": torch.ones(3)}, "exp_avg"),
        ({"step": 1, "exp_avg": torch.ones(3), "exp_avg_sq": torch.ones(3), "max_exp_avg_sq": torch.ones(3)}, "max_"),
    ],
)
def test_a_state_of_another_optimizer_is_refused(state, found):
    optimizer = FoldedAdamW([torch.nn.Parameter(torch.ones(3))])
    groups = optimizer.state_dict()["param_groups"]
    with pytest.raises(XalignError, match=found) as raised:
        optimizer.load_state_dict({"state": {0: state}, "param_groups": groups})
    assert "set reset_optimizer" in str(raised.value)


@pytest.mark.gpu
@pytest.mark.skipif(lacking() is not None, reason=str(lacking()))
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_on_the_device_steps_are_those_of_the_cpu_and_nothing_waits(dtype):
    start, gradients = draw(300, 70, dtype=dtype), [draw(300, 70, seed=n, dtype=dtype) for n in range(1, 4)]
    (moved,) = there(start)
    p, other = torch.nn.Parameter(moved), torch.nn.Parameter(start.clone())
    optimizer, expected = FoldedAdamW([p], **OPTIONS), FoldedAdamW([other], **OPTIONS)
    for gradient in gradients:
        p.grad, other.grad = *there(gradient.clone()), gradient.clone()
        with no_waiting():
            optimizer.multiply(0.5)
            norm = optimizer.clip(1.0)
            optimizer.step()
        expected.multiply(0.5)
        near(norm.cpu(), expected.clip(1.0), 1e-4)
        expected.step()
    near(p.detach().float().cpu(), other.detach().float(), 1e-5 if dtype == torch.float32 else 2e-2)


@pytest.mark.gpu
@pytest.mark.skipif(lacking() is not None, reason=str(lacking()))
def test_on_the_device_rows_are_stepped_as_on_the_cpu():
    start, gradient = draw(300, 70, dtype=torch.float32), draw(300, 70, seed=1, dtype=torch.float32)
    p, other = torch.nn.Parameter(start.clone().to(ON)), torch.nn.Parameter(start.clone())
    for each in (p, other):
        optimizer = FoldedAdamW([each], **OPTIONS)
        for _ in range(3):
            each.grad = sparse(gradient, [5, 250, 7]).to(each.device)
            optimizer.clip(1.0)
            optimizer.step()
    near(p.detach().cpu(), other.detach(), 1e-5)


def test_a_state_of_more_or_fewer_parameters_is_refused():
    one, two = (FoldedAdamW([torch.nn.Parameter(torch.ones(3)) for _ in range(count)]) for count in (1, 2))
    with pytest.raises(XalignError, match=r"groups of \[2\]"):
        one.load_state_dict(two.state_dict())


def test_no_parameter_has_a_gradient():
    optimizer = FoldedAdamW([torch.nn.Parameter(torch.ones(2))])
    assert optimizer.clip(1.0) == 0
    optimizer.step()
