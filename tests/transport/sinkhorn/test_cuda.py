"""The CUDA operator on a GPU against the reference: links, tolerances, bits, layouts.

As all tests that are marked ``gpu`` these run on the CPU, too, and against its operator, by XALIGN_GPU_TESTS_ON=cpu.
"""

import itertools

import pytest
import torch
from support import gpu_device
from support.gpu_device import all_or_few, there
from support.links import (
    assert_highest,
    differing,
    hangs_on_rounding,
    links_by,
    pair_matrices,
    random_options,
    random_pairs,
)

from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.names import FILTERS
from xalign_fairseq.transport.options import SinkhornOptions
from xalign_fairseq.transport.similarity import pair_similarity
from xalign_fairseq.transport.sinkhorn import backend, fused, sinkhorn

pytestmark = pytest.mark.gpu
RELEASED = Transport()
SIZES = (3, 9, 30, 33, 60, 70, 120, 300)  # each kernel's, and beyond 256


@pytest.fixture(autouse=True)
def operator():
    with backend.using(gpu_device.ON):
        yield


def assert_same_links(hidden, spans, options):
    """Identical, but for pairs whose links float32 cannot decide; their number."""
    expected, expected_shares = links_by("reference", hidden, spans, options)
    found, shares = (x.cpu() for x in pair_matrices(*there(hidden, spans), options))
    different = differing(found, expected)
    if len(different):
        undecided = hangs_on_rounding(hidden[different], spans[different], options)
        assert undecided.all(), (options, different[~undecided].tolist())
    common = found & expected
    torch.testing.assert_close(shares[common], expected_shares[common], atol=5e-5 / min(1, options.mu), rtol=0)
    return len(different)


def test_links_of_ten_thousand_pairs_with_the_released_options_are_the_references():
    different = 0
    for seed in all_or_few(range(200)):
        different += assert_same_links(*random_pairs(seed, 50, SIZES[seed % 8], scale=(0.3, 5.0)[seed % 2]), RELEASED)
    assert different <= 4


@pytest.mark.parametrize("common", [2.0, 0.0])
def test_links_under_all_options_are_the_references(common):
    for seed in all_or_few(range(80)):
        assert_same_links(*random_pairs(1000 + seed, 30, SIZES[seed % 8], common=common), random_options(seed))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("longest", [30, 60, 120, 200])
def test_16_bit_states_keep_the_links_of_float64(dtype, longest):
    hidden, spans = random_pairs(4, 64, longest, width=768, scale=0.7)
    exact, _ = links_by("reference", hidden.double(), spans, RELEASED)
    found = pair_matrices(*there(hidden.to(dtype), spans))[0].cpu()
    f1 = 2 * (found & exact).sum() / (found.sum() + exact.sum())
    assert f1 >= 0.995


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("width", [1, 7, 8, 33, 64, 72, 200, 768])
def test_every_width_is_read_whole_and_nothing_beside_it(dtype, width):
    options = Transport(iterations=0)  # nothing depends on the order of sums then
    for longest in (20, 50, 100, 150):
        hidden, spans = random_pairs(2, 10, longest, width=width)
        hidden, spans = there(hidden.mul(2).round(), spans)
        length = hidden.shape[1]
        similarity, _, _ = pair_similarity(hidden, spans, sizes=(longest, longest))
        expected, _ = fused.link_partners_of(similarity, spans, length, options)
        for before, after in ((8, 16 - width % 8), (3, 4)):
            inner = torch.full((10, length + 2, width + before + after), torch.nan, dtype=dtype, device=gpu_device.ON)
            inner[:, 1:-1, before:-after] = hidden
            found, _ = fused.link_partners(inner[:, 1:-1, before:-after], spans, (longest, longest), options)
            assert torch.equal(found, expected) and (found >= 0).any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_pair_has_the_same_bits_each_time_alone_and_in_any_batch(dtype):
    hidden, spans = random_pairs(9, 40, 140, width=256)
    hidden, spans = there(hidden.to(dtype), spans)
    options = Transport(rounds=3, mu=0.5)

    def partners(hidden, spans, longest=140):
        return fused.link_partners(hidden, spans, (longest, longest), options, probabilities=True)

    expected = partners(hidden, spans)
    for _ in range(20):
        again = partners(hidden, spans)
        assert torch.equal(again[0], expected[0]) and torch.equal(again[1], expected[1])
    turned = partners(hidden.flip(0), spans.flip(0))
    assert torch.equal(turned[0].flip(1), expected[0]) and torch.equal(turned[1].flip(1), expected[1])
    for row in range(0, 40, 7):
        alone = partners(hidden[row : row + 1], spans[row : row + 1])
        assert torch.equal(alone[0][:, 0], expected[0][:, row]) and torch.equal(alone[1][:, 0], expected[1][:, row])


@pytest.mark.parametrize("order", ["columns-first", "rows-first"])
@pytest.mark.parametrize(("mu", "domain"), [(1.0, "linear"), (0.2, "linear"), (0.01, "log")])
@pytest.mark.parametrize("iterations", [0, 2, 50])
@pytest.mark.parametrize("longest", [20, 200])
def test_plan_is_no_further_from_float64_than_the_references(order, mu, domain, iterations, longest):
    hidden, spans = random_pairs(11, 6, longest)
    similarity, src_mask, tgt_mask = pair_similarity(hidden, spans)
    draw = torch.Generator().manual_seed(1)
    masses = [torch.rand(mask.shape, generator=draw) + 0.1 for mask in (src_mask, tgt_mask)]
    given = {"iterations": iterations, "mu": mu, "eps": 1e-6, "order": order, "domain": domain}
    for src_mass, tgt_mass in ((None, None), masses):
        wide = [None if mass is None else mass.double() for mass in (src_mass, tgt_mass)]
        exact = sinkhorn(
            similarity.double(), src_mask, tgt_mask, SinkhornOptions(**given), src_mass=wide[0], tgt_mass=wide[1]
        )
        reference = sinkhorn(
            similarity, src_mask, tgt_mask, SinkhornOptions(**given), src_mass=src_mass, tgt_mass=tgt_mass
        )
        moved = [None if mass is None else mass.to(gpu_device.ON) for mass in (src_mass, tgt_mass)]
        sides = there(similarity, src_mask.sum(1), tgt_mask.sum(1))
        found = fused.plan(*sides, SinkhornOptions(**given), src_mass=moved[0], tgt_mass=moved[1]).cpu()
        assert (found - exact).abs().amax() <= 2 * (reference - exact).abs().amax() + 1e-6 / mu


@pytest.mark.parametrize("longest", [9, 50, 100, 140])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_pair_that_is_not_finite_has_no_links_and_harms_no_other(longest, bad, dtype):
    hidden, spans = random_pairs(6, 5, longest, shortest=longest)
    hidden, spans = there(hidden.to(dtype), spans)
    spans[4, 1] = spans[4, 0]
    expected = Transport().labels(hidden, spans)
    hidden[2, longest, 4] = bad
    hidden[3, 0], hidden[3, longest + 1] = bad, bad  # <s> and </s> are not read
    labels = Transport().labels(hidden, spans)
    assert (labels[[2, 4]] == -1).all() and (labels[:2] >= 0).any(1).all()
    assert torch.equal(labels[[0, 1, 3]], expected[[0, 1, 3]])


@pytest.mark.parametrize("filter", FILTERS)
def test_ties_go_to_the_lowest_index(filter):
    options = Transport(filter=filter, iterations=0, rounds=1)
    for size in (3, 40, 100, 140):
        hidden, spans = there(torch.ones(1, 2 * size + 3, 3), torch.tensor([[1, size + 1, size + 2, 2 * size + 2]]))
        partners, _ = fused.link_partners(hidden, spans, (size, size), options)
        assert partners[0, 0, 1] == size + 2 and partners[0, 0, size + 2] == 1
        if filter == "union":
            assert (partners[0, 0, 1 : size + 1] == size + 2).all() and (partners[0, 0, size + 2 : -1] == 1).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_links_and_labels_of_each_filter_from_the_same_states_as_the_references(dtype):
    # The products of 16-bit states are exact in float32, but for the order of their sums.
    for seed, (filter, order) in enumerate(itertools.product(FILTERS, ("columns-first", "rows-first"))):
        hidden, spans = random_pairs(50 + seed, 24, 75, width=64)
        options = Transport(filter=filter, order=order)
        assert_same_links(hidden.to(dtype), spans, options)
        with backend.using("reference"):
            expected = options.labels(hidden.to(dtype), spans)
        found = options.labels(*there(hidden.to(dtype), spans)).cpu()
        differ = (found != expected).any(1)
        assert hangs_on_rounding(hidden.to(dtype)[differ], spans[differ], options).all()


@pytest.mark.parametrize("sides", [(1, 1), (1, 40), (40, 1), (1, 200), (200, 1), (2, 129), (257, 3), (256, 256)])
def test_uneven_sides_and_sides_of_one_token(sides):
    for seed, filter in enumerate(FILTERS):
        hidden, spans = random_pairs(seed, 4, max(sides), shortest=max(sides))
        spans[:, 1], spans[:, 3] = spans[:, 0] + sides[0], spans[:, 2] + sides[1]
        assert_same_links(hidden, spans, Transport(filter=filter))


def test_pairs_so_long_that_their_vectors_do_not_fit_shared_memory():
    assert_same_links(*random_pairs(31, 3, 640, shortest=580), RELEASED)
    assert_same_links(*random_pairs(32, 2, 700, shortest=600), Transport(mu=0.1, filter="itermax-paper"))


@pytest.mark.parametrize("longest", [30, 60, 120, 150])
def test_rounds_are_put_together_by_the_operator(longest):
    for seed, filter in enumerate(FILTERS):
        hidden, spans = there(*random_pairs(30 + seed, 20, longest))
        assert_highest(hidden, spans, (longest, longest), Transport(filter=filter, rounds=4))


def test_empty_sides_and_empty_batches():
    hidden, spans = there(*random_pairs(8, 3, 5))
    spans[1, 1] = spans[1, 0]
    labels = Transport().labels(hidden, spans)
    assert (labels[1] == -1).all() and (labels[[0, 2]] >= 0).any(1).all()
    assert Transport().labels(hidden[:0], spans[:0]).shape == (0, hidden.shape[1])
    links, probability = pair_matrices(hidden[:0], spans[:0])
    assert links.shape == probability.shape == (0, 0, 0)
    spans[:, 1], spans[:, 3] = spans[:, 0], spans[:, 2]
    assert (Transport().labels(hidden, spans) == -1).all()


def test_states_and_offsets_of_any_layout():
    hidden, spans = there(*random_pairs(19, 6, 40, width=48))
    expected = Transport().labels(hidden, spans)
    padded = torch.zeros(*hidden.shape[:2], 2 * hidden.shape[2], device=hidden.device)
    padded[..., ::2] = hidden
    layouts = {
        "time before batch": hidden.transpose(0, 1).contiguous().transpose(0, 1),
        "columns first": hidden.transpose(1, 2).contiguous().transpose(1, 2),
        "every other element": padded[..., ::2],
        "every other token": torch.stack([hidden, torch.full_like(hidden, torch.nan)], 2).flatten(1, 2)[:, ::2],
        "every other pair": torch.stack([hidden, torch.full_like(hidden, torch.nan)], 1).flatten(0, 1)[::2],
    }
    for name, same in layouts.items():
        assert torch.equal(same, hidden)
        assert torch.equal(Transport().labels(same, spans), expected), name
    for same in (spans.int(), spans.T.contiguous().T):
        assert torch.equal(Transport().labels(hidden, same), expected)
    one = hidden[:1].expand(3, -1, -1)  # a stride of 0
    assert torch.equal(Transport().labels(one, spans[:1].expand(3, -1)), expected[:1].expand(3, -1))


def test_offsets_beyond_the_sequence_are_not_read():
    hidden, spans = there(*random_pairs(8, 2, 5))
    spans[0, 3] = hidden.shape[1]
    beyond = spans.clone()
    beyond[0, 3] = 10**6
    found, expected = (RELEASED.labels(hidden, each, sizes=(5, 50)) for each in (beyond, spans))
    assert torch.equal(found, expected)


def test_long_sequences_have_wider_labels():
    hidden = torch.zeros(1, 40006, 2)
    hidden[0, 40000:40002] = hidden[0, 40003:40005] = torch.eye(2)
    labels = Transport().labels(*there(hidden, torch.tensor([[40000, 40002, 40003, 40005]])))
    assert labels.dtype == torch.int32
    assert labels[0, 40000:].tolist() == [40003, 40004, -1, 40000, 40001, -1]


@pytest.mark.parametrize("mu", [1.0, 0.01])
@pytest.mark.parametrize("sign", [1, -1])
def test_large_states_keep_finite_plans(mu, sign):
    for size in (9, 100, 150):
        draw = torch.Generator().manual_seed(size)
        hidden = 100 * (1 + 0.1 * torch.rand(1, 2 * size + 3, 768, generator=draw))
        hidden[:, size + 2 :] *= sign
        states, spans = there(hidden, torch.tensor([[1, size + 1, size + 2, 2 * size + 2]]))
        found, probability = pair_matrices(states, spans, Transport(mu=mu))
        assert found.any() and probability.isfinite().all()


@pytest.mark.parametrize("mass", [-1.0, float("nan"), float("inf")])
def test_a_pair_with_a_mass_that_is_none_has_no_plan(mass):
    for name in ("src_mass", "tgt_mass"):
        masses = torch.ones(2, 3)
        masses[1, 1] = mass
        similarity, sizes, masses = there(torch.rand(2, 3, 3), torch.tensor([3, 3]), masses)
        plan = fused.plan(similarity, sizes, sizes, SinkhornOptions(order="rows-first"), **{name: masses})
        assert plan[0].sum() > 2.9 and not plan[1].any()


def test_operators_are_what_torch_expects():
    hidden, spans = there(*random_pairs(13, 3, 6))
    similarity, src_mask, tgt_mask = pair_similarity(hidden, spans)
    given = (2, 1.0, 1e-6, False, False)
    options = (*given, 0, 2, 0.9)
    operators = torch.ops.xalign
    for states, probabilities in itertools.product((hidden, hidden.bfloat16(), hidden.half()), (False, True)):
        torch.library.opcheck(operators.sinkhorn_links.default, (states, spans, 6, 6, *options, probabilities))
    torch.library.opcheck(operators.sinkhorn_links_of.default, (similarity, spans, hidden.shape[1], *options, True))
    masses = (torch.rand(src_mask.shape, device=hidden.device), None)
    sides = (src_mask.sum(1), tgt_mask.sum(1))
    torch.library.opcheck(operators.sinkhorn_plan.default, (similarity, *sides, *masses, *given))
