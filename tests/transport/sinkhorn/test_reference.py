import random

import pytest
import torch
from support.links import assert_no_plan_is_lost, in_domain, lost_pair

from xalign_fairseq.transport.options import SinkhornOptions
from xalign_fairseq.transport.similarity import pair_similarity
from xalign_fairseq.transport.sinkhorn import sinkhorn

DOUBLE = torch.float64


def masks(lengths, size):
    return torch.arange(size) < torch.tensor(lengths)[:, None]


def plan_of(*given, src_mass=None, tgt_mass=None, domain="auto", **options):
    return sinkhorn(*given, in_domain(SinkhornOptions(**options), domain), src_mass=src_mass, tgt_mass=tgt_mass)


def ragged(seed, pairs=12, scale=20.0, longest=9):
    """Random similarities (some negative) with garbage at the padding."""
    rng = random.Random(seed)
    lengths = [(rng.randint(1, longest), rng.randint(1, longest)) for _ in range(pairs)]
    n, m = (max(side) for side in zip(*lengths, strict=True))
    generator = torch.Generator().manual_seed(seed)
    similarity = scale * (0.5 + torch.randn(pairs, n, m, dtype=DOUBLE, generator=generator))
    src_mask, tgt_mask = masks([a for a, _ in lengths], n), masks([b for _, b in lengths], m)
    return torch.where(src_mask[:, :, None] & tgt_mask[:, None], similarity, torch.nan), src_mask, tgt_mask, lengths


def scalar_sinkhorn(rows, iterations, mu, eps, order, a=None, b=None):
    kernel = [[max(eps, value) ** (1 / mu) for value in row] for row in rows]
    n, m = len(rows), len(rows[0])
    a, b = a or [1.0] * n, b or [1.0] * m
    u, v = [1.0] * n, [1.0] * m
    for _ in range(iterations):
        for step in ("u", "v") if order == "rows-first" else ("v", "u"):
            if step == "u":
                u = [a[i] / sum(kernel[i][j] * v[j] for j in range(m)) for i in range(n)]
            else:
                v = [b[j] / sum(kernel[i][j] * u[i] for i in range(n)) for j in range(m)]
    return [[u[i] * kernel[i][j] * v[j] for j in range(m)] for i in range(n)]


def masses_of(lengths, seed):
    """Masses in (0, 2), one of them 0, and NaN at the padding."""
    generator = torch.Generator().manual_seed(seed)
    each = []
    for side in (0, 1):
        mask = masks([pair[side] for pair in lengths], max(pair[side] for pair in lengths))
        each.append((torch.rand(mask.shape, dtype=DOUBLE, generator=generator) * 2).masked_fill(~mask, torch.nan))
    longest = max(range(len(lengths)), key=lambda row: min(lengths[row]))
    each[0][longest, 1] = each[1][longest, 0] = 0.0
    return each


def test_hand_worked_fractions():
    similarity = torch.tensor([[[3.0, 1.0], [1.0, 1.0]]], dtype=DOUBLE)
    mask = masks([2], 2)
    # Columns sum to 4 and 2: [[3/4, 1/2], [1/4, 1/2]]; then rows sum to 5/4 and 3/4.
    expected = torch.tensor([[[3 / 5, 2 / 5], [1 / 3, 2 / 3]]], dtype=DOUBLE)
    torch.testing.assert_close(plan_of(similarity, mask, mask, iterations=1), expected)
    # Rows sum to 4 and 2: [[3/4, 1/4], [1/2, 1/2]]; then columns sum to 5/4 and 3/4.
    expected = torch.tensor([[[3 / 5, 1 / 3], [2 / 5, 2 / 3]]], dtype=DOUBLE)
    torch.testing.assert_close(plan_of(similarity, mask, mask, iterations=1, order="rows-first"), expected)


@pytest.mark.parametrize("order", ["columns-first", "rows-first"])
@pytest.mark.parametrize(("mu", "domain"), [(1.0, "auto"), (1.0, "log"), (0.3, "linear"), (0.3, "log"), (2.5, "auto")])
@pytest.mark.parametrize("iterations", [1, 2, 7])
@pytest.mark.parametrize("sides", [(), ("tgt_mass",), ("src_mass", "tgt_mass")])
def test_scalar_loops(order, mu, domain, iterations, sides):
    similarity, src_mask, tgt_mask, lengths = ragged(iterations)
    masses = dict(zip(("src_mass", "tgt_mass"), masses_of(lengths, 1), strict=True))
    options = {"iterations": iterations, "mu": mu, "order": order, "domain": domain}
    plan = plan_of(similarity, src_mask, tgt_mask, **{side: masses[side] for side in sides}, **options)
    for row, (n, m) in enumerate(lengths):
        rows = similarity[row, :n, :m].tolist()
        a, b = (
            masses[side][row, :size].tolist() if side in sides else None
            for side, size in (("src_mass", n), ("tgt_mass", m))
        )
        expected = torch.tensor(scalar_sinkhorn(rows, iterations, mu, 1e-6, order, a, b), dtype=DOUBLE)
        torch.testing.assert_close(plan[row, :n, :m], expected, rtol=1e-9, atol=1e-300)
        assert plan[row, n:].eq(0).all() and plan[row, :, m:].eq(0).all()


@pytest.mark.parametrize(
    ("spoilt", "bad"),
    [
        *(("similarity", bad) for bad in (torch.nan, torch.inf, -torch.inf)),
        *((side, bad) for side in ("src_mass", "tgt_mass") for bad in (torch.nan, torch.inf, -1.0)),
    ],
)
@pytest.mark.parametrize(("mu", "iterations"), [(1.0, 2), (0.5, 2), (0.01, 2), (1.0, 0)])
def test_an_invalid_value_empties_only_its_pair(spoilt, bad, mu, iterations):
    similarity, src_mask, tgt_mask, lengths = ragged(3)
    given = {"similarity": similarity}
    if spoilt != "similarity":
        given |= zip(("src_mass", "tgt_mass"), masses_of(lengths, 3), strict=True)

    def plan():
        masses = {name: given[name] for name in given if name != "similarity"}
        return plan_of(given["similarity"], src_mask, tgt_mask, mu=mu, iterations=iterations, **masses)

    expected = plan()
    given[spoilt] = given[spoilt].clone()
    given[spoilt][(4, 0, 0)[: given[spoilt].dim()]] = bad
    found = plan()
    others = [row for row in range(len(found)) if row != 4]
    assert found[4].eq(0).all() and expected[4].gt(0).any() and torch.equal(found[others], expected[others])


@pytest.mark.parametrize("order", ["columns-first", "rows-first"])
@pytest.mark.parametrize("mu", [0.05, 0.2, 0.02, 0.002])
def test_float32_stays_finite_and_close_to_float64_for_small_mu(order, mu):
    similarity, src_mask, tgt_mask, _ = ragged(11, scale=400.0)
    exact = plan_of(similarity, src_mask, tgt_mask, mu=mu, order=order, domain="log")
    plan = plan_of(similarity.float(), src_mask, tgt_mask, mu=mu, order=order)
    assert plan.dtype == torch.float32 and plan.isfinite().all()
    torch.testing.assert_close(plan.double(), exact, rtol=0, atol=1e-2 if mu < 0.01 else 2e-3)
    domain = "linear" if mu >= 0.05 else "log"
    assert torch.equal(plan_of(similarity.float(), src_mask, tgt_mask, mu=mu, order=order, domain=domain), plan)


@pytest.mark.parametrize("order", ["columns-first", "rows-first"])
@pytest.mark.parametrize("mu", [1.0, 0.3, 0.01])
@pytest.mark.parametrize("dtype", [torch.float32, DOUBLE])
def test_one_token_on_a_side_gives_exact_ties(order, mu, dtype):
    generator = torch.Generator().manual_seed(0)
    similarity = torch.rand(2, 13, 13, dtype=dtype, generator=generator) * 50
    plan = plan_of(similarity, masks([1, 13], 13), masks([13, 1], 13), mu=mu, order=order)
    assert plan[0, 0].unique().numel() == 1 and plan[1, :, 0].unique().numel() == 1
    # A single token's probabilities sum to 1; the other side's are 1 each.
    whole = {"columns-first": (1 / 13, 1.0), "rows-first": (1.0, 1 / 13)}[order]
    assert plan[0, 0, 0].item() == pytest.approx(whole[0]) and plan[1, 0, 0].item() == pytest.approx(whole[1])


def test_empty_sides():
    plan = sinkhorn(torch.ones(2, 3, 2), masks([3, 0], 3), masks([2, 2], 2))
    assert plan[0].sum(1).tolist() == pytest.approx([1, 1, 1]) and plan[1].eq(0).all()
    assert sinkhorn(torch.ones(2, 0, 2), masks([0, 0], 0), masks([2, 2], 2)).shape == (2, 0, 2)


@pytest.mark.parametrize("mu", [1.0, 0.3])
def test_autocast_does_not_narrow_it(mu):
    similarity, src_mask, tgt_mask, _ = ragged(4)
    expected = plan_of(similarity.float(), src_mask, tgt_mask, mu=mu)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(plan_of(similarity.float(), src_mask, tgt_mask, mu=mu), expected)


@pytest.mark.parametrize("order", ["columns-first", "rows-first"])
@pytest.mark.parametrize(("n", "m"), [(3, 300), (128, 4), (20, 60)])
def test_many_iterations_on_sides_of_different_length_stay_within_float32(order, n, m):
    # One side's factors would grow by n/m per iteration, and the other side's shrink.
    similarity = torch.rand(1, n, m, generator=torch.Generator().manual_seed(n)) + 0.1
    sides = masks([n], n), masks([m], m)
    exact = plan_of(similarity.double(), *sides, iterations=300, order=order, domain="log")
    found = plan_of(similarity, *sides, iterations=300, order=order)
    torch.testing.assert_close(found.double(), exact, rtol=1e-4, atol=1e-7)


def test_no_plan_is_lost_in_float32():
    kept = assert_no_plan_is_lost(150, lambda given, sides, options, masses: sinkhorn(given, *sides, options, **masses))
    assert kept > 135


def test_a_recomputed_plan_changes_no_other_pair_of_the_batch():
    lost, spans = lost_pair(1)
    similarity, *sides = pair_similarity(lost, spans)
    both = torch.cat([similarity, torch.rand(1, 3, 3, generator=torch.Generator().manual_seed(1)) + 0.5])
    sides = [side.expand(2, -1) for side in sides]
    for mu in (0.1, 0.2):
        options = SinkhornOptions(iterations=100, mu=mu)
        alone = [sinkhorn(each[None], *(side[:1] for side in sides), options)[0] for each in both]
        assert torch.equal(sinkhorn(both, *sides, options), torch.stack(alone))
