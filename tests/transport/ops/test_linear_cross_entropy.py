import pytest
import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from xalign_fairseq.transport.ops import linear_cross_entropy as module
from xalign_fairseq.transport.ops.linear_cross_entropy import linear_cross_entropy

N, V, H = 7, 150, 5


@pytest.fixture
def chunks(monkeypatch):
    """Set the tokens per chunk of the vocabulary, and the bytes of logits kept for backward."""

    def choose(width, kept=0):
        monkeypatch.setattr(module, "CHUNK", {"cpu": 0})
        monkeypatch.setattr(module, "NARROWEST", width)
        monkeypatch.setattr(module, "KEPT", kept)

    return choose


def problem(n=N, v=V, h=H, dtype=torch.float64, seed=0):
    """Features, weight, bias and labels; the first and the last token are among the labels, and ends of chunks."""
    torch.manual_seed(seed)
    given = [torch.randn(*shape, dtype=torch.float64) for shape in ((n, h), (v, h), (v,))]
    labels = torch.tensor([0, v - 1, 63, 64, 127, 128, 5][:n])
    return [each.to(dtype).requires_grad_() for each in given], labels


def plain(features, weight, bias, labels):
    logits = F.linear(features, weight, bias)
    return F.cross_entropy(logits.to(torch.promote_types(logits.dtype, torch.float32)), labels, reduction="none"), (
        logits.argmax(1) == labels
    )


def outcome(function, given, labels, upstream):
    nll, correct, *_ = function(*given, labels)
    gradients = torch.autograd.grad(nll, given, upstream.to(nll.dtype))
    return [nll.detach(), correct, *gradients]


@pytest.mark.parametrize("kept", [0, 7 * 64 * 8, 10**9])
@pytest.mark.parametrize("width", [1, 37, 64, 128, 149, V, 512])
def test_it_equals_the_plain_loss_for_every_chunk_size(width, kept, chunks):
    chunks(width, kept)
    given, labels = problem()
    upstream = torch.randn(N, dtype=torch.float64)  # one per prediction
    expected = outcome(plain, given, labels, upstream)
    for value, truth in zip(outcome(linear_cross_entropy, given, labels, upstream), expected, strict=True):
        torch.testing.assert_close(value, truth, rtol=1e-12, atol=1e-13)


def test_backward_can_run_twice(chunks):
    chunks(64, 10**9)  # logits are freed after the first time
    given, labels = problem()
    nll = linear_cross_entropy(*given, labels).nll
    first, second = (torch.autograd.grad(nll.sum(), given, retain_graph=True) for _ in range(2))
    assert all(map(torch.equal, first, second))


@pytest.mark.parametrize("wanted", [(0,), (1,), (2,), (0, 2), (1, 2)])
def test_only_requested_gradients_are_computed(wanted, chunks):
    chunks(64)
    given, labels = problem()
    expected = torch.autograd.grad(plain(*given, labels)[0].sum(), given)
    given = [each.detach().requires_grad_(number in wanted) for number, each in enumerate(given)]
    with Products() as found:
        linear_cross_entropy(*given, labels).nll.sum().backward()
    for number, (each, truth) in enumerate(zip(given, expected, strict=True)):
        assert (each.grad is None) == (number not in wanted)
        if number in wanted:
            torch.testing.assert_close(each.grad, truth, rtol=1e-12, atol=1e-13)
    # In each of three chunks: logits, logits again, and a product for x and E, none for the bias.
    assert found.count == 3 * (2 + (0 in wanted) + (1 in wanted))


class Products(TorchDispatchMode):
    """Counts matrix products and records the largest tensor of any operator."""

    NAMES = ("aten::linear", "aten::addmm", "aten::mm", "aten::mm.out", "mkldnn::_linear_pointwise")

    def __init__(self):
        super().__init__()
        self.count = self.largest = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        self.count += function.name() in self.NAMES
        for each in made if isinstance(made, tuple) else (made,):
            if isinstance(each, torch.Tensor):
                self.largest = max(self.largest, each.untyped_storage().nbytes())
        return made


def test_kept_logits_are_not_recomputed(chunks):
    given, labels = problem()
    counts = []
    for kept in (0, 7 * 64 * 8, 10**9):
        chunks(64, kept)
        with Products() as found:
            linear_cross_entropy(*given, labels).nll.sum().backward()
        counts.append(found.count)
    assert counts == [12, 11, 9]


def test_no_tensor_is_larger_than_a_chunk_or_a_parameter(chunks):
    chunks(64, 0)
    given, labels = problem(n=7, v=6400, h=5)
    with Products() as found:
        linear_cross_entropy(*given, labels).nll.sum().backward()
    assert found.largest == 6400 * 5 * 8  # the gradient of E; all logits are 6400 * 7
    chunks(6400, 0)
    with Products() as found:
        linear_cross_entropy(*given, labels).nll.sum().backward()
    assert found.largest == 6400 * 7 * 8


def test_without_gradient_nothing_is_kept(chunks):
    chunks(64, 10**9)
    given, labels = problem()
    expected = plain(*given, labels)
    with torch.no_grad():
        nll, correct, _ = linear_cross_entropy(*given, labels)
    assert not nll.requires_grad and torch.equal(correct, expected[1])
    torch.testing.assert_close(nll, expected[0].detach())


def test_the_first_of_equal_logits_is_predicted(chunks):
    for width in (1, 64, 512):
        chunks(width)
        for weight in (torch.zeros(V, H), torch.ones(V, H)):
            losses = linear_cross_entropy(torch.ones(3, H), weight, torch.zeros(V), torch.tensor([0, 1, V - 1]))
            assert losses.correct.tolist() == [True, False, False]
        bias = torch.zeros(V)
        bias[[70, 75, 140]] = 1
        losses = linear_cross_entropy(torch.ones(3, H), weight, bias, torch.tensor([70, 75, 140]))
        assert losses.correct.tolist() == [True, False, False]


def test_no_predictions_give_zero_gradients():
    given, labels = problem(n=0)
    nll, correct, counted = linear_cross_entropy(*given, labels)
    nll.sum().backward()
    assert nll.shape == correct.shape == counted.shape == (0,) and not any(each.grad.any() for each in given)


def test_negative_labels_are_ignored_and_unknown_labels_have_no_loss(chunks):
    chunks(64)
    given, labels = problem()
    labels[[1, 4]] = -100
    nll, correct, counted = linear_cross_entropy(*given, labels)
    keep = labels >= 0
    expected, _ = plain(given[0][keep], *given[1:], labels[keep])
    torch.testing.assert_close(nll[keep], expected)
    assert not nll[~keep].any() and not correct[~keep].any() and torch.equal(counted, keep)
    for found, truth in zip(*(torch.autograd.grad(each.sum(), given) for each in (nll, expected)), strict=True):
        torch.testing.assert_close(found, truth)
    assert linear_cross_entropy(*given, torch.full_like(labels, V)).nll.isnan().all()


def test_non_finite_logits_make_the_loss_non_finite(chunks):
    chunks(64)
    for bad in (torch.inf, torch.nan):
        (features, weight, bias), labels = problem()
        with torch.no_grad():
            bias[100] = bad
        assert not linear_cross_entropy(features, weight, bias, labels).nll.isfinite().any()


@pytest.mark.parametrize("kept", [0, 10**9])
@pytest.mark.parametrize("block", [slice(0, 64), slice(0, 70), slice(64, 128), slice(3, 20)])
def test_impossible_tokens_are_excluded(block, kept, chunks):
    chunks(64, kept)
    given, _ = problem(4)
    with torch.no_grad():
        given[2][block] = -torch.inf
    labels, upstream = torch.tensor([129, 140, 131, 149]), torch.randn(4, dtype=torch.float64)
    for found, truth in zip(
        outcome(linear_cross_entropy, given, labels, upstream), outcome(plain, given, labels, upstream), strict=True
    ):
        torch.testing.assert_close(found, truth)


def near(found, reference, truth, tolerance):
    """|truth - found| <= |truth - reference| + tolerance, for the largest difference."""
    error, allowed = ((truth - each.to(truth.dtype)).abs().max().item() for each in (found, reference))
    assert error <= allowed + tolerance, (error, allowed)


@pytest.mark.parametrize("mixed", ["parameters", "autocast"])
@pytest.mark.parametrize("kept", [0, 10**9])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.bfloat16, 4e-3), (torch.float16, 5e-4)])
def test_half_precision_is_as_accurate_as_plain_operators(dtype, tolerance, kept, mixed, chunks):
    chunks(64, kept)
    given, labels = problem(h=32, dtype=torch.float32)
    with torch.no_grad():
        for each in given:
            each.copy_(each.to(dtype))  # the truth starts from the same numbers
    upstream = torch.rand(N)
    truth = outcome(plain, given, labels, upstream)

    def half(function):
        if mixed == "parameters":
            return outcome(function, [each.detach().to(dtype).requires_grad_() for each in given], labels, upstream)
        with torch.autocast("cpu", dtype):
            return outcome(function, given, labels, upstream)

    found, reference = half(linear_cross_entropy), half(plain)
    for one, other, true in zip(found, reference, truth, strict=True):
        assert one.dtype == other.dtype
        near(one.double(), other.double(), true.double(), tolerance * max(1, true.double().abs().max().item()))


def test_half_precision_gradients_are_scaled_before_rounding(chunks):
    chunks(64)
    given, labels = problem(dtype=torch.float16)
    scale = 2.0**14
    small = [torch.autograd.grad(linear_cross_entropy(*given, labels).nll.sum() * by, given)[1] for by in (1e-6, 1e-2)]
    assert small[0].count_nonzero() < small[1].count_nonzero() / 2
    scaled = torch.autograd.grad(linear_cross_entropy(*given, labels).nll.sum() * 1e-6 * scale, given)[1]
    truth = [each.detach().float().requires_grad_() for each in given]
    expected = torch.autograd.grad(plain(*truth, labels)[0].sum() * 1e-6 * scale, truth)[1]
    torch.testing.assert_close(scaled.float(), expected, rtol=2e-2, atol=2e-6)
