import pytest
import torch
from support import gpu_device
from support.links import in_domain

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.options import SinkhornOptions
from xalign_fairseq.transport.sinkhorn import backend
from xalign_fairseq.transport.sinkhorn import plan as module
from xalign_fairseq.transport.sinkhorn.plan import sinkhorn_plan

DOUBLE = torch.float64
ORDERS = ("columns-first", "rows-first")
SIZES = ((5, 7), (1, 4), (3, 1), (6, 6), (1, 1), (4, 2))


def masks(sizes=SIZES):
    n, m = (max(side) for side in zip(*sizes, strict=True))
    return [
        torch.arange(size) < torch.tensor([pair[side] for pair in sizes])[:, None] for side, size in ((0, n), (1, m))
    ]


def ragged(seed=0, sizes=SIZES, dtype=DOUBLE):
    """Similarities exp(x), some below the floor, NaN at the padding; masses, one of them 0; a gradient of the plan."""
    generator = torch.Generator().manual_seed(seed)
    src_mask, tgt_mask = masks(sizes)
    shape = (len(sizes), src_mask.shape[1], tgt_mask.shape[1])
    similarity = torch.randn(shape, dtype=dtype, generator=generator).exp()
    similarity[0, 1, 2] = -1.0
    inside = src_mask[:, :, None] & tgt_mask[:, None]
    masses = [torch.rand(mask.shape, dtype=dtype, generator=generator) + 0.2 for mask in (src_mask, tgt_mask)]
    masses[0][0, 3] = 0.0
    masses[1][3, 2] = 0.0
    gradient = torch.randn(shape, dtype=dtype, generator=generator)
    return similarity.masked_fill(~inside, torch.nan), (src_mask, tgt_mask), masses, gradient


def plain_plan(similarity, a, b, iterations, mu, eps, order):
    """The definition for one pair without padding, differentiated by autograd."""
    kernel = similarity.clamp_min(eps) ** (1 / mu)
    u, v = torch.ones_like(a), torch.ones_like(b)
    for _ in range(iterations):
        for side in ("u", "v") if order == "rows-first" else ("v", "u"):
            if side == "u":
                u = a / (kernel @ v)
            else:
                v = b / (kernel.T @ u)
    return u[:, None] * kernel * v


def plain_gradients(similarity, masses, gradient, sizes=SIZES, **options):
    """Plans and gradients pair by pair, zero at padding."""
    plans, found = torch.zeros_like(similarity), torch.zeros_like(similarity)
    for row, (n, m) in enumerate(sizes):
        own = similarity[row, :n, :m].clone().requires_grad_()
        plan = plain_plan(own, masses[0][row, :n], masses[1][row, :m], **options)
        plans[row, :n, :m] = plan.detach()
        (found[row, :n, :m],) = torch.autograd.grad(plan, own, gradient[row, :n, :m])
    return plans, found


def gradients(similarity, masks, gradient, src_mass=None, tgt_mass=None, **options):
    leaf = similarity.clone().requires_grad_()
    plan = sinkhorn_plan(leaf, *masks, SinkhornOptions(**options), src_mass=src_mass, tgt_mass=tgt_mass)
    return plan.detach(), torch.autograd.grad(plan, leaf, gradient)[0]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("iterations", "mu"), [(1, 1.0), (2, 1.0), (2, 0.3), (7, 0.5), (3, 2.5)])
def test_few_iterations_give_the_gradient_of_plain_loops(order, iterations, mu):
    similarity, both, masses, gradient = ragged()
    options = {"iterations": iterations, "mu": mu, "eps": 1e-3, "order": order}
    plan, found = gradients(similarity, both, gradient, src_mass=masses[0], tgt_mass=masses[1], **options)
    expected_plan, expected = plain_gradients(similarity, masses, gradient, **options)
    torch.testing.assert_close(plan, expected_plan, rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(found, expected, rtol=1e-8, atol=1e-11)
    assert found[0, 1, 2] == 0 and expected[3].abs().max() > 0.01
    # K cancels out of plans with one token on a side.
    assert found[[1, 2, 4]].eq(0).all()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("iterations", "mu", "domain"), [(2, 1.0, "auto"), (4, 0.2, "log"), (60, 0.5, "auto")])
def test_finite_differences(order, iterations, mu, domain):
    similarity, both, masses, _ = ragged(2, sizes=((4, 3), (2, 3), (1, 2), (3, 3)))
    inside = both[0][:, :, None] & both[1][:, None]
    options = in_domain(SinkhornOptions(iterations=iterations, mu=mu, order=order), domain)

    def plan(values):
        whole = torch.zeros_like(similarity).masked_scatter(inside, values)
        return sinkhorn_plan(whole, *both, options, src_mass=masses[0], tgt_mass=masses[1])

    values = similarity[inside].clamp_min(0.01).requires_grad_()
    assert torch.autograd.gradcheck(plan, values, eps=1e-7, atol=1e-5)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("iterations", "mu"), [(50, 1.0), (50, 0.2), (100, 0.1), (200, 0.05)])
def test_many_iterations_approach_the_unrolled_gradient(order, iterations, mu, monkeypatch):
    generator = torch.Generator().manual_seed(3)
    both = masks(((20, 16), (9, 12), (1, 5)))
    src = torch.randn(3, 20, 32, dtype=DOUBLE, generator=generator)
    tgt = src[:, :16] + 0.7 * torch.randn(3, 16, 32, dtype=DOUBLE, generator=generator)
    cosine = torch.cosine_similarity(src[:, :, None], tgt[:, None], dim=-1)
    masses = [mask / mask.sum(1, keepdim=True, dtype=DOUBLE) for mask in both]
    options = {"iterations": iterations, "mu": mu, "order": order, "src_mass": masses[0], "tgt_mass": masses[1]}
    plan, found = gradients(cosine.exp(), both, 1 - cosine, **options)
    assert module._converges(SinkhornOptions(iterations=iterations, mu=mu, order=order))
    monkeypatch.setattr(module, "_converges", lambda options: False)
    same, exact = gradients(cosine.exp(), both, 1 - cosine, **options)
    assert torch.equal(plan, same) and not torch.equal(found, exact)
    for row in (0, 1):
        assert (found[row] - exact[row]).norm() < 4e-3 * exact[row].norm()
        assert exact[row].norm() > 1e-3
    assert found[2].eq(0).all()


@pytest.mark.parametrize(("iterations", "mu"), [(2, 1.0), (3, 0.1), (60, 0.3)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_narrow_dtypes_are_as_accurate_as_the_reference(dtype, iterations, mu):
    similarity, both, _, gradient = ragged(4)
    similarity = similarity.clamp_min(0.01).to(dtype)
    plan, found = gradients(similarity, both, gradient.float(), iterations=iterations, mu=mu)
    assert plan.dtype == torch.float32 and found.dtype == dtype
    exact_plan, exact = gradients(similarity.double(), both, gradient, iterations=iterations, mu=mu)
    torch.testing.assert_close(plan.double(), exact_plan, rtol=1e-4, atol=1e-6)
    tolerance = torch.finfo(dtype).eps + 1e-4
    torch.testing.assert_close(found.double(), exact, rtol=tolerance, atol=tolerance * 0.1 * exact.abs().max().item())


@pytest.mark.parametrize("iterations", [2, 60])
@pytest.mark.parametrize("bad", [torch.nan, torch.inf, -torch.inf])
def test_non_finite_pairs_and_padding_have_no_gradient_and_affect_no_other_pair(bad, iterations):
    similarity, both, masses, gradient = ragged(5)
    outside = ~(both[0][:, :, None] & both[1][:, None])
    options = {"iterations": iterations, "src_mass": masses[0], "tgt_mass": masses[1]}
    _, expected = gradients(similarity, both, gradient, **options)
    similarity[3, 0, 0] = bad
    gradient = gradient.masked_fill(outside, torch.nan)
    gradient[3] = torch.nan
    masses[1][5, 0] = -1.0
    plan, found = gradients(similarity, both, gradient, **options)
    assert plan[[3, 5]].eq(0).all() and found[[3, 5]].eq(0).all() and found[outside].eq(0).all()
    assert torch.equal(found[:3], expected[:3]) and expected[0].ne(0).any() and expected[3].ne(0).any()


@pytest.mark.parametrize("iterations", [2, 60])
def test_empty_sides(iterations):
    similarity = torch.rand(2, 3, 4, requires_grad=True)
    both = masks(((3, 4), (0, 2)))
    plan = sinkhorn_plan(similarity, *both, SinkhornOptions(iterations=iterations))
    plan.square().sum().backward()
    assert plan[1].eq(0).all() and similarity.grad[1].eq(0).all() and similarity.grad[0].ne(0).any()
    nothing = torch.rand(2, 0, 4, requires_grad=True)
    sinkhorn_plan(nothing, both[0][:, :0], both[1], SinkhornOptions(iterations=iterations)).sum().backward()
    assert nothing.grad.shape == (2, 0, 4)


@pytest.mark.parametrize("device", ["cpu", pytest.param(gpu_device.ON, marks=pytest.mark.gpu)])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("iterations", "mu"), [(2, 1.0), (3, 0.02), (60, 0.3)])
def test_the_operator_gives_the_plan_and_the_gradient_of_the_reference(device, order, iterations, mu):
    try:
        backend.select(device)
    except XalignError as error:
        pytest.skip(str(error))
    finally:
        backend.select("auto")
    similarity, both, masses, gradient = ragged(8, dtype=torch.float32)
    masses[1][5, 0] = torch.nan
    masses[1][3] = 0.0  # a side without mass
    similarity[4, 0, 0] = torch.inf
    both[0][0, 1] = both[1][0, 0] = False  # a mask may have holes
    masses = {name: mass.to(device) for name, mass in zip(("src_mass", "tgt_mass"), masses, strict=True)}
    given = similarity.to(device), [mask.to(device) for mask in both], gradient.to(device)
    options = {"iterations": iterations, "mu": mu, "order": order, **masses}
    with backend.using("reference"):
        expected = gradients(*given, **options)
    with backend.using(device):
        found = gradients(*given, **options)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-6)
    assert found[0][[3, 4, 5]].eq(0).all() and found[1][[4, 5]].eq(0).all() and found[0][0].gt(0.1).any()


@pytest.mark.parametrize("iterations", [2, 60])
def test_autocast_changes_nothing(iterations):
    similarity, both, _, gradient = ragged(7, dtype=torch.float32)
    expected = gradients(similarity, both, gradient, iterations=iterations)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = gradients(similarity, both, gradient, iterations=iterations)
    assert torch.equal(found[0], expected[0]) and torch.equal(found[1], expected[1])


def test_invalid_arguments_are_refused():
    similarity, both = torch.rand(1, 2, 3, requires_grad=True), masks(((2, 3),))
    (once,) = torch.autograd.grad(sinkhorn_plan(similarity, *both).square().sum(), similarity, create_graph=True)
    with pytest.raises(RuntimeError, match="differentiate twice"):
        once.sum().backward()
    with pytest.raises(XalignError, match="no gradient flows to masses"):
        sinkhorn_plan(similarity, *both, src_mass=torch.ones(1, 2, requires_grad=True))
    with pytest.raises(XalignError, match="iterations"):
        sinkhorn_plan(similarity, *both, SinkhornOptions(iterations=0))
    with pytest.raises(XalignError, match=r"tgt_mass[\s\S]*\(1, 2\)[\s\S]*\(1, 3\)"):
        sinkhorn_plan(similarity, *both, tgt_mass=torch.ones(1, 2))
    with pytest.raises(XalignError, match="similarity and masks do not match"):
        sinkhorn_plan(similarity, both[1], both[0])
    with pytest.raises(XalignError, match=r"tgt_mask[\s\S]*float32[\s\S]*torch.bool"):
        sinkhorn_plan(similarity, both[0], both[1].float())
