"""Dropout by few random bits: what it drops, how often, and that nothing else changes."""

import pytest
import torch

from xalign_fairseq.transport.ops import dropout as ops
from xalign_fairseq.transport.ops.dropout import CHOICES, dropout


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9, 3 / CHOICES])
def test_so_many_are_dropped_and_the_mean_stays(p):
    count = 2**20
    y = dropout(torch.ones(count), p)
    rounded = round(p * CHOICES) / CHOICES
    assert y.unique().tolist() == pytest.approx([0.0, 1 / (1 - rounded)], rel=1e-6)
    spread = (rounded * (1 - rounded) / count) ** 0.5  # of the share of a binomial draw
    assert abs((y == 0).double().mean().item() - rounded) < 5 * spread
    assert abs(y.double().mean().item() - 1) < 5 * spread / (1 - rounded)


def test_the_four_decisions_of_a_draw_and_those_of_neighbours_are_independent():
    kept = (dropout(torch.ones(2**20), 0.5) > 0).double() - 0.5
    for lag in (1, 2, 3, 4, 5, 8):
        assert abs((kept[lag:] * kept[:-lag]).mean().item()) < 5 * 0.25 / 2**10
    for place in range(4):  # the bits of each place in a draw
        assert abs(kept[place::4].mean().item()) < 5 * 0.5 / 2**9


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (0, 4), (2, 3, 4)])
def test_what_is_kept_is_scaled_and_has_the_gradient(dtype, shape):
    x = torch.randn(shape, dtype=dtype).requires_grad_()
    y = dropout(x, 0.25)
    assert y.shape == x.shape and y.dtype == dtype
    y.sum().backward()
    scale = torch.tensor(4 / 3, dtype=dtype)
    assert x.grad is not None and ((x.grad == 0) | (x.grad == scale)).all()
    torch.testing.assert_close(y, x * x.grad, rtol=0, atol=0)


def test_what_is_not_contiguous_is_read_as_it_lies():
    x = torch.arange(1.0, 13).view(3, 4)
    torch.manual_seed(3)
    plain = dropout(x, 0.5)
    torch.manual_seed(3)
    turned = dropout(x.t().contiguous().t(), 0.5)
    assert torch.equal(plain, turned) and 0 < (plain == 0).sum() < 12


def test_a_seed_gives_the_same_and_the_next_draw_another():
    x = torch.ones(1000)
    first, second = dropout(x, 0.5), dropout(x, 0.5)
    torch.manual_seed(0)
    assert torch.equal(dropout(x, 0.5), first) and not torch.equal(first, second)


@pytest.mark.parametrize(("p", "training"), [(0.0, True), (0.1, False), (1.0, False)])
def test_where_nothing_is_dropped_nothing_changes_and_no_number_is_drawn(p, training):
    x, before = torch.randn(5, 3), torch.get_rng_state()
    assert torch.equal(dropout(x, p, training), x)
    assert torch.equal(torch.get_rng_state(), before)


def test_all_are_dropped():
    assert not dropout(torch.ones(9), 1.0).any()


def test_compiled_and_on_other_devices_it_is_torch_s(monkeypatch):
    called = []
    monkeypatch.setattr(ops.F, "dropout", lambda *given: called.append(given[1:]))
    dropout(torch.empty(3, device="meta"), 0.1)
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    dropout(torch.empty(3), 0.2)
    assert called == [(0.1, True), (0.2, True)]
