import logging
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from support.gpu_device import ON, ON_CUDA, no_waiting, there

from xalign_fairseq.transport.ops import attention
from xalign_fairseq.transport.ops.attention import (
    CHOICES,
    Offsets,
    Packed,
    Padded,
    by_length,
    by_products,
    compiled,
    dropout,
    in_float32,
    jagged,
    kernel,
    varlen,
)
from xalign_fairseq.transport.sinkhorn import backend

LENGTHS = np.array([1, 1, 2, 5, 5, 5, 7])


def packed(lengths=LENGTHS, device="cpu"):
    return Packed.of(lengths, torch.from_numpy(np.concatenate([[0], lengths.cumsum()])).to(device))


def parts(dtype=torch.float64, lengths=LENGTHS, heads=3, dim=8):
    torch.manual_seed(0)
    return [torch.randn(sum(lengths), heads, dim, dtype=torch.float64).to(dtype).requires_grad_() for _ in range(3)]


def in_a_loop(q, k, v, lengths=LENGTHS):
    """The definition, in the dtype of its inputs."""
    rows = []
    for a, b, c in zip(*(part.split(lengths.tolist()) for part in (q, k, v)), strict=True):
        weights = (torch.einsum("ihd,jhd->hij", a, b) / a.shape[-1] ** 0.5).softmax(-1)
        rows.append(torch.einsum("hij,jhd->ihd", weights, c))
    return torch.cat(rows)


def with_gradients(function, given):
    out = function(*given)
    assert out.shape == given[0].shape
    weights = torch.linspace(-1, 1, out.numel(), dtype=torch.float64).view_as(out).to(out)
    return out.detach(), *torch.autograd.grad((out * weights).sum(), given)


def emulated(query, key, value, cu_seq_q, cu_seq_k, max_q, max_k):
    """What torch.nn.attention.varlen.varlen_attn promises and requires."""
    assert cu_seq_q.dtype == cu_seq_k.dtype == torch.int32 and query.dim() == key.dim() == value.dim() == 3
    lengths = cu_seq_q.diff()
    assert torch.equal(cu_seq_q, cu_seq_k) and lengths.max() == max_q == max_k
    assert cu_seq_q[0] == 0 and cu_seq_q[-1] == len(query)
    return in_a_loop(query, key, value, lengths.numpy())


def by_offsets(sentences, q, k, v, rate):
    """Offsets that only the device knows. They may contain empty sentences."""
    offsets = torch.from_numpy(np.concatenate([[0], LENGTHS.cumsum(), [sum(LENGTHS)] * 3])).int()
    return Offsets(offsets, 8).attend(q, k, v, rate)


@pytest.mark.parametrize("how", [by_length, varlen, jagged, by_offsets])
def test_every_kernel_attends_within_each_sentence(how, monkeypatch):
    if how is varlen:
        monkeypatch.setattr(pytest.importorskip("torch.nn.attention.varlen"), "varlen_attn", emulated)
    given = parts()
    found = with_gradients(lambda q, k, v: how(packed(), q, k, v, 0.0), given)
    for mine, truth in zip(found, with_gradients(in_a_loop, given), strict=True):
        torch.testing.assert_close(mine, truth, rtol=1e-12, atol=1e-12)


def test_padding_is_ignored():
    given = parts()
    inside = torch.arange(LENGTHS.max()) < torch.from_numpy(LENGTHS)[:, None]
    padded = [F.pad(part, (0, 0, 0, 0, 0, 1), value=9.0)[torch.full_like(inside, -1).long()] for part in given]
    for whole, part in zip(padded, given, strict=True):
        whole[inside] = part
    mixed = Padded(~inside).attend(*padded, dropout=0.0)
    torch.testing.assert_close(mixed[inside], in_a_loop(*given), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("length", "gradient", "way"), [(31, True, by_products), (32, True, in_float32), (5, False, in_float32)]
)
def test_bfloat16_on_a_cpu_has_two_kernels(length, gradient, way):
    q = torch.zeros(1, 2, length, 8, dtype=torch.bfloat16, requires_grad=gradient)
    assert attention.plain_kernel(q, 0.0) is way and attention.plain_kernel(q, 0.1) is by_products
    with torch.no_grad():
        assert attention.plain_kernel(q, 0.0) is in_float32
    assert attention.plain_kernel(q.float(), 0.0) is F.scaled_dot_product_attention


@pytest.mark.parametrize("lengths", [LENGTHS, np.array([33, 40, 40])])
def test_bfloat16_on_a_cpu_is_as_accurate_as_torch(lengths):
    given = parts(torch.bfloat16, lengths)
    truth = with_gradients(
        lambda *parts: in_a_loop(*parts, lengths), [each.detach().double().requires_grad_() for each in given]
    )
    found = with_gradients(lambda q, k, v: packed(lengths).attend(q, k, v, 0.0), given)
    own = with_gradients(lambda q, k, v: jagged(packed(lengths), q, k, v, 0.0), given)
    for mine, theirs, expected in zip(found, own, truth, strict=True):
        assert (mine.double() - expected).abs().max() <= 1.5 * (theirs.double() - expected).abs().max() + 0.01


def test_products_of_short_sentences_are_in_float32_under_autocast_too():
    given = parts(torch.bfloat16)

    def cast(q, k, v):
        with torch.autocast("cpu", torch.bfloat16):
            return packed().attend(q, k, v, 0.0)

    alone = with_gradients(lambda q, k, v: packed().attend(q, k, v, 0.0), given)
    inside = with_gradients(cast, given)
    assert all(torch.equal(one, other) for one, other in zip(alone, inside, strict=True))


@pytest.mark.parametrize(
    ("device", "dtype"),
    [
        ("cpu", torch.float32),
        ("cpu", torch.bfloat16),
        pytest.param(ON, torch.bfloat16, marks=[pytest.mark.gpu, pytest.mark.skipif(not ON_CUDA, reason="CUDA's")]),
    ],
)
def test_dropout_drops_weights_at_its_rate_and_scales_the_others(device, dtype):
    lengths = np.array([8] * 500)
    q = torch.zeros(4000, 1, 8, dtype=dtype, device=device)
    v = torch.eye(8, dtype=dtype, device=device).repeat(500, 1)[:, None]
    weights = packed(lengths, device).attend(q, q, v, 0.25)
    assert (weights == 0).float().mean().item() == pytest.approx(0.25, abs=0.01)
    assert (weights[weights > 0].float() - 1 / 8 / 0.75).abs().max() < 0.002


def test_an_empty_batch_works():
    nothing = torch.zeros(0, 2, 4)
    assert packed(LENGTHS[:0]).attend(nothing, nothing, nothing, 0.0).shape == (0, 2, 4)


@pytest.mark.parametrize(
    ("device", "dtype", "dropout", "dim", "has", "expected"),
    [
        ("cpu", torch.float32, 0.0, 64, True, by_length),
        ("cpu", torch.bfloat16, 0.1, 64, True, by_length),
        ("cuda", torch.bfloat16, 0.0, 64, True, varlen),
        ("cuda", torch.float16, 0.0, 32, True, varlen),
        ("cuda", torch.bfloat16, 0.1, 64, True, jagged),
        ("cuda", torch.bfloat16, 0.0, 12, True, jagged),
        ("cuda", torch.float32, 0.0, 64, True, jagged),
        ("cuda", torch.bfloat16, 0.0, 64, False, jagged),
        ("cuda", torch.float64, 0.0, 64, True, by_length),
    ],
)
def test_the_kernel_depends_on_device_dtype_and_dropout(device, dtype, dropout, dim, has, expected, monkeypatch):
    monkeypatch.setattr(attention, "has_varlen", lambda _: has)
    q = SimpleNamespace(device=SimpleNamespace(type=device), dtype=dtype, shape=(9, 2, dim))
    assert kernel(q, dropout) is expected


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 3e-6), (torch.bfloat16, 1e-2)])
@pytest.mark.parametrize(("heads", "dim"), [(1, 16), (3, 32), (2, 64)])
def test_compiled_attention_equals_the_definition(dtype, tolerance, heads, dim):
    lengths = np.array([*range(1, 40), 63, 64, 65, 150])
    given = [part.detach()[..., :dim] for part in parts(dtype, lengths, heads, 2 * dim)]
    found = compiled(packed(lengths), *given, 0.0)
    truth = in_a_loop(*(part.double() for part in given), lengths)
    assert found.dtype == dtype
    torch.testing.assert_close(found.double(), truth, rtol=tolerance, atol=tolerance)
    given[2][0], given[2][1], given[2][3] = torch.nan, torch.inf, 3e38
    rounded = compiled(packed(lengths), *(part.float() for part in given), 0.0).to(dtype)
    torch.testing.assert_close(compiled(packed(lengths), *given, 0.0), rounded, rtol=0, atol=0, equal_nan=True)


def test_compiled_attention_is_for_inference_only_and_bitwise_equal_in_any_batch(monkeypatch):
    q, k, v = (part.detach() for part in parts(torch.float32, dim=16))
    assert kernel(q, 0.0) is by_length
    with torch.inference_mode():
        with backend.using("reference"):  # for transport only
            assert kernel(q, 0.0) is compiled
        assert {kernel(q, 0.1), kernel(q[..., :12], 0.0), kernel(q.double(), 0.0)} == {by_length}
        mixed = packed().attend(q, k, v, 0.0)
        torch.testing.assert_close(mixed, in_a_loop(q, k, v))
        v[0] = torch.nan
        assert packed().attend(q, k, v, 0.0).isnan().any(-1).any(-1).tolist() == [True] + [False] * 25
        assert torch.equal(mixed[-7:], packed(LENGTHS[-1:]).attend(q[-7:], k[-7:], v[-7:], 0.0))
        monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
        assert torch.equal(mixed[1:], packed().attend(q, k, v, 0.0)[1:])


@pytest.mark.parametrize("longer", [[280], [300, 300, 301]])
def test_attention_of_a_sentence_is_bitwise_equal_next_to_longer_ones(longer):
    lengths = np.array([230, *longer])
    given = [part.detach() for part in parts(torch.bfloat16, lengths, dim=16)]
    with torch.inference_mode():
        mixed, alone = packed(lengths).attend(*given, 0.0), packed(lengths[:1]).attend(*(p[:230] for p in given), 0.0)
    truth = in_a_loop(*(part.double() for part in given), lengths)
    torch.testing.assert_close(mixed.double(), truth, rtol=0.02, atol=0.02)
    assert torch.equal(mixed[:230], alone)


def test_the_kernel_is_logged_once_with_the_amount_of_padding(monkeypatch, caplog):
    monkeypatch.setattr(attention, "_TOLD", set())
    with caplog.at_level(logging.INFO, logger=attention.__name__):
        for lengths, padding in ((LENGTHS, 0.25), (LENGTHS[:2], 0.5)):
            given = parts(lengths=lengths)
            Packed.of(lengths, torch.from_numpy(np.concatenate([[0], lengths.cumsum()])), padding).attend(*given, 0.0)
    assert caplog.messages == ["attention: packed (by_length); in the first batch 25% were padding"]


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_varlen_attention_is_correct_without_device_sync(dtype):
    given = parts(dtype)
    truth = with_gradients(in_a_loop, [each.detach().double().requires_grad_() for each in given])
    sentences, moved = packed(device=ON), [each.requires_grad_() for each in there(*(p.detach() for p in given))]
    weights = torch.linspace(-1, 1, moved[0].numel(), dtype=torch.float64).view_as(truth[0]).to(ON, dtype)
    sentences.attend(*moved, 0.0)  # libraries are loaded
    with no_waiting():
        out = sentences.attend(*moved, 0.0)
        found = out, *torch.autograd.grad((out * weights).sum(), moved)
    tolerance = {torch.float32: 1e-5, torch.float16: 5e-3, torch.bfloat16: 4e-2}[dtype]
    for mine, expected in zip(found, truth, strict=True):
        torch.testing.assert_close(mine.detach().cpu().double(), expected, rtol=tolerance, atol=tolerance)


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9, 3 / CHOICES])
def test_dropout_has_its_rate_and_keeps_the_mean(p):
    count = 2**20
    y = dropout(torch.ones(count), p)
    rounded = round(p * CHOICES) / CHOICES
    assert y.unique().tolist() == pytest.approx([0.0, 1 / (1 - rounded)], rel=1e-6)
    spread = (rounded * (1 - rounded) / count) ** 0.5  # of a binomial share
    assert abs((y == 0).double().mean().item() - rounded) < 5 * spread
    assert abs(y.double().mean().item() - 1) < 5 * spread / (1 - rounded)


def test_decisions_of_a_draw_and_of_adjacent_draws_are_independent():
    kept = (dropout(torch.ones(2**20), 0.5) > 0).double() - 0.5
    for lag in (1, 2, 3, 4, 5, 8):
        assert abs((kept[lag:] * kept[:-lag]).mean().item()) < 5 * 0.25 / 2**10
    for place in range(4):  # the bits of each place in a draw
        assert abs(kept[place::4].mean().item()) < 5 * 0.5 / 2**9


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (0, 4), (2, 3, 4)])
def test_kept_values_are_scaled_and_have_gradients(dtype, shape):
    x = torch.randn(shape, dtype=dtype).requires_grad_()
    y = dropout(x, 0.25)
    assert y.shape == x.shape and y.dtype == dtype
    y.sum().backward()
    scale = torch.tensor(4 / 3, dtype=dtype)
    assert x.grad is not None and ((x.grad == 0) | (x.grad == scale)).all()
    torch.testing.assert_close(y, x * x.grad, rtol=0, atol=0)


def test_non_contiguous_inputs_are_read_correctly():
    x = torch.arange(1.0, 13).view(3, 4)
    torch.manual_seed(3)
    plain = dropout(x, 0.5)
    torch.manual_seed(3)
    assert torch.equal(plain, dropout(x.t().contiguous().t(), 0.5)) and 0 < (plain == 0).sum() < 12


@pytest.mark.parametrize(("p", "training"), [(0.0, True), (0.1, False), (1.0, False)])
def test_rate_zero_changes_nothing_and_draws_nothing(p, training):
    x, before = torch.randn(5, 3), torch.get_rng_state()
    assert torch.equal(dropout(x, p, training), x)
    assert torch.equal(torch.get_rng_state(), before)


def test_rate_one_drops_everything():
    assert not dropout(torch.ones(9), 1.0).any()


def test_compiled_code_and_other_devices_use_torch(monkeypatch):
    called = []
    monkeypatch.setattr(attention.F, "dropout", lambda *given: called.append(given[1:]))
    dropout(torch.empty(3, device="meta"), 0.1)
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    dropout(torch.empty(3), 0.2)
    assert called == [(0.1, True), (0.2, True)]
