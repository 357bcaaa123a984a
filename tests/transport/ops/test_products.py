import logging

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from xalign_fairseq.core.devices import Cpu, fast_bfloat16
from xalign_fairseq.transport.ops import products
from xalign_fairseq.transport.ops.products import Linear, OneDnnLinear, linear, weight_gradient

needs_onednn = pytest.mark.skipif(bool(products.onednn_fault()), reason="torch without oneDNN's linear maps")


def use(monkeypatch, library):
    monkeypatch.setattr(products, "chosen", lambda: products.Libraries(library, library, "of the test"))


@pytest.fixture
def onednn(monkeypatch):
    """oneDNN for products of any non-zero size."""
    monkeypatch.setattr(products, "SMALLEST", 1)
    use(monkeypatch, "onednn")


@pytest.fixture
def cpu(monkeypatch):
    """Set the CPU."""
    products.chosen.cache_clear()

    def pretend(vendor="AuthenticAMD", family=26, level="AVX512"):
        monkeypatch.setattr(products, "cpu", lambda: Cpu(vendor, family))
        monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: level)
        monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: True)

    yield pretend
    products.chosen.cache_clear()


X = {
    "matrix": lambda: torch.randn(7, 13),
    "batch": lambda: torch.randn(3, 5, 13),
    "row": lambda: torch.randn(1, 13),
    "vector": lambda: torch.randn(13),
    "none": lambda: torch.randn(0, 13),
    "sliced": lambda: torch.randn(7, 26)[:, ::2],
    "transposed": lambda: torch.randn(13, 4, 6).transpose(0, 2),
    "expanded": lambda: torch.randn(1, 13).expand(9, 13),
}


def values_and_gradients(function, x, weight, bias, expanded_gradient):
    given = [None if each is None else each.detach().requires_grad_() for each in (x, weight, bias)]
    made = function(*given)
    torch.manual_seed(1)
    grad = torch.ones(()).expand(made.shape) if expanded_gradient else torch.randn(made.shape)
    return [made, *torch.autograd.grad(made, [each for each in given if each is not None], grad)]


@needs_onednn
@pytest.mark.parametrize("expanded_gradient", [False, True])
@pytest.mark.parametrize("with_bias", [False, True])
@pytest.mark.parametrize("kind", X)
def test_it_equals_torch_forward_and_backward(onednn, kind, with_bias, expanded_gradient):
    torch.manual_seed(0)
    x, weight = X[kind](), torch.randn(11, 13)
    bias = torch.randn(11) if with_bias else None
    expected = values_and_gradients(F.linear, x, weight, bias, expanded_gradient)
    made = values_and_gradients(linear, x, weight, bias, expanded_gradient)
    assert isinstance(made[0].grad_fn, OneDnnLinear._backward_cls) == (kind != "none")
    for one, other in zip(made, expected, strict=True):
        assert one.shape == other.shape
        torch.testing.assert_close(one, other, rtol=1e-5, atol=2e-5)
    with torch.inference_mode():
        assert torch.equal(linear(x, weight, bias), made[0])


@needs_onednn
@pytest.mark.skipif(not fast_bfloat16(torch.device("cpu")), reason="a CPU without bfloat16 instructions")
@pytest.mark.parametrize("kind", X)
def test_in_bfloat16_onednn_adds_the_bias_with_the_same_numbers_or_one_rounding_less(monkeypatch, kind):
    monkeypatch.setattr(products, "SMALLEST", 1)
    torch.manual_seed(0)
    x, weight, bias = (each.bfloat16() for each in (X[kind](), torch.randn(11, 13), torch.randn(11)))
    expected = values_and_gradients(F.linear, x, weight, bias, expanded_gradient=False)
    made = values_and_gradients(linear, x, weight, bias, expanded_gradient=False)
    assert isinstance(made[0].grad_fn, OneDnnLinear._backward_cls) == (kind != "none")
    exact = F.linear(x.double(), weight.double(), bias.double())
    if kind != "transposed":  # torch rounds the product before it adds the bias
        assert torch.equal(made[0], expected[0])
    assert made[0].shape == exact.shape and ((made[0] - exact).abs() <= exact.abs() / 2**8 + 1e-6).all()
    assert all(torch.equal(one, other) for one, other in zip(made[1:], expected[1:], strict=True))


@needs_onednn
@pytest.mark.parametrize("trained", [(True, False, False), (False, True, False), (False, False, True)])
def test_only_requested_gradients_are_computed(onednn, monkeypatch, trained):
    torch.manual_seed(0)
    x, weight, bias = (
        torch.randn(*shape).requires_grad_(on) for shape, on in zip(((7, 13), (11, 13), (11,)), trained, strict=True)
    )
    made = linear(x, weight, bias)
    calls = []
    monkeypatch.setattr(products, "linear", lambda *given: (calls.append(given), F.linear(*given))[1])
    made.sum().backward()
    assert [each.grad is not None for each in (x, weight, bias)] == list(trained)
    assert len(calls) == sum(trained[:2])


@needs_onednn
@pytest.mark.parametrize(("shape", "transposed"), [((40, 3, 17), True), ((40, 17, 3), False), ((6, 17, 9), False)])
def test_a_weights_gradient_copies_the_smaller_factor_and_equals_its_definition(onednn, monkeypatch, shape, transposed):
    rows, width, out = shape
    torch.manual_seed(0)
    grad, x = torch.randn(rows, out), torch.randn(rows, width)
    first = []
    monkeypatch.setattr(products, "linear", lambda *given: (first.append(given[0]), F.linear(*given))[1])
    made, defined = torch.empty(out, width), (grad.double().t() @ x.double()).float()
    for gradient in (weight_gradient(grad, x), weight_gradient(grad, x, out=made), made):
        torch.testing.assert_close(gradient, defined)
    assert [each.shape for each in first] == [(width, rows) if transposed else (out, rows)] * 2


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_a_weight_gradient_by_torch_fills_only_its_slice_in_its_dtype(monkeypatch, dtype):
    use(monkeypatch, "torch")
    torch.manual_seed(0)
    grad, x = torch.randn(40, 17, dtype=dtype), torch.randn(40, 3, dtype=dtype)
    expected = (grad.double().t() @ x.double()).to(dtype)
    for given in (dtype, torch.float32):
        whole = torch.full((20, 3), 7.0, dtype=given)
        weight_gradient(grad, x, out=whole[2:19])
        torch.testing.assert_close(whole[2:19], expected.to(given))
        assert whole[[0, 1, 19]].eq(7).all()


@needs_onednn
@pytest.mark.parametrize("out", [3, 30])
def test_second_order_gradients_equal_torch(onednn, out):
    torch.manual_seed(0)
    x, weight = torch.randn(25, 4, requires_grad=True), torch.randn(out, 4, requires_grad=True)
    found = []
    for function in (linear, F.linear):
        (first,) = torch.autograd.grad(function(x, weight).pow(3).sum(), x, create_graph=True)
        found.append(torch.autograd.grad(first.pow(2).sum(), (x, weight)))
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


@needs_onednn
def test_other_dtypes_and_autocast_are_left_to_torch(onednn):
    x, weight = torch.randn(5, 4), torch.randn(3, 4, requires_grad=True)
    for dtype in (torch.float64, torch.bfloat16, torch.float16):
        assert torch.equal(linear(x.to(dtype), weight.to(dtype)), F.linear(x.to(dtype), weight.to(dtype)))
    with torch.autocast("cpu", torch.bfloat16):
        made = linear(x, weight)
        assert made.dtype == torch.bfloat16 and not isinstance(made.grad_fn, OneDnnLinear._backward_cls)
    double = [torch.randn(*size, dtype=torch.float64, requires_grad=True) for size in ((5, 4), (3, 4), (3,))]
    assert torch.autograd.gradcheck(linear, double)


@needs_onednn
def test_small_products_are_left_to_torch(monkeypatch):
    x, weight = torch.randn(64, 256, requires_grad=True), torch.randn(256, 256)
    use(monkeypatch, "onednn")
    large, small = linear(x, weight).grad_fn, linear(x[:63], weight).grad_fn
    assert isinstance(large, OneDnnLinear._backward_cls) and not isinstance(small, OneDnnLinear._backward_cls)
    use(monkeypatch, "torch")
    assert not isinstance(linear(x, weight).grad_fn, OneDnnLinear._backward_cls)


def test_a_module_has_the_names_and_values_of_torch():
    torch.manual_seed(0)
    ours, theirs = Linear(13, 11), nn.Linear(13, 11)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(2, 13)
    assert torch.equal(ours(x), theirs(x)) and isinstance(ours, nn.Linear)


@pytest.mark.parametrize(
    ("vendor", "family", "level", "libraries"),
    [
        ("AuthenticAMD", 26, "AVX512", ("onednn", "onednn")),
        ("AuthenticAMD", 25, "AVX512", ("onednn", "torch")),
        ("AuthenticAMD", 26, "AVX2", ("torch", "torch")),
        ("GenuineIntel", 6, "AVX512", ("torch", "torch")),
        ("", 0, "DEFAULT", ("torch", "torch")),
    ],
)
@needs_onednn
def test_the_choice_depends_on_the_cpu_and_is_logged_once(cpu, caplog, monkeypatch, vendor, family, level, libraries):
    cpu(vendor, family, level)
    monkeypatch.setattr(products, "SMALLEST", 1)
    caplog.set_level(logging.INFO)
    ran = []
    onednn = products._onednn_product
    monkeypatch.setattr(products, "_onednn_product", lambda x, *more: (ran.append(tuple(x.shape)), onednn(x, *more))[1])
    x, weight = torch.randn(40, 3, requires_grad=True), torch.randn(17, 3, requires_grad=True)
    assert products.chosen()[:2] == libraries
    assert products.compiles_shapes(torch.float32) == (libraries[0] == "onednn")
    assert products.compiles_shapes(torch.bfloat16)
    linear(x, weight).sum().backward()
    by_onednn = [(40, 3), (40, 17)] if libraries[0] == "onednn" else []  # outputs, gradients of x
    by_onednn += [(3, 40)] if libraries[1] == "onednn" else []  # gradients of the weight
    assert ran == by_onednn
    (said,) = [line for line in caplog.messages if "float32 products" in line]
    assert f"CPU: {libraries[0]}, " in said


@pytest.mark.parametrize("missing", ["library", "operator"])
def test_without_the_operator_torch_multiplies(cpu, caplog, monkeypatch, missing):
    cpu()
    if missing == "library":
        monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    else:
        monkeypatch.setattr(torch.ops, "mkldnn", object())
    caplog.set_level(logging.INFO)
    assert products.chosen().products == "torch"
    x, weight = torch.randn(256, 256), torch.randn(256, 256)
    assert torch.equal(linear(x, weight), F.linear(x, weight))
    assert "although this is an AMD CPU" in caplog.text
