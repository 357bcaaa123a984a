"""The fused operators against the reference: links on ten thousand ragged pairs, tolerances, ties, bad numbers, bits.

Each test runs by the CPU's operator and, marked ``gpu``, by that of CUDA.
"""

import dataclasses
import itertools

import pytest
import torch
from support import gpu_device
from support.gpu_device import all_or_few
from support.links import (
    assert_highest,
    differing,
    exact_plan,
    hangs_on_rounding,
    hard_plan,
    links_by,
    lost_pair,
    pair_matrices,
    random_options,
    random_pairs,
)

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.names import FILTERS
from xalign_fairseq.transport.options import SinkhornOptions
from xalign_fairseq.transport.similarity import pair_similarity, side_sizes
from xalign_fairseq.transport.sinkhorn import backend, fused, sinkhorn

RELEASED = Transport()
EXACT = Transport(iterations=0)  # nothing depends on the order of sums then
SIZES = (3, 9, 30, 33, 60, 70)  # of each kernel but for the longest
ORDERS = pytest.mark.parametrize("order", ["columns-first", "rows-first"])
DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
LONGEST = pytest.mark.parametrize("longest", [9, 50, 100, 140])
ON_THE_CPU = pytest.mark.parametrize("on", ["cpu"], indirect=True)


@pytest.fixture(autouse=True, params=["cpu", pytest.param(gpu_device.ON, marks=pytest.mark.gpu, id="gpu")])
def on(request):
    """The device, whose operator is used."""
    with backend.using(request.param):
        yield request.param


def moved(on, *tensors):
    return [tensor.to(on) for tensor in tensors]


def assert_same_links(on, hidden, spans, options):
    """Identical, but for pairs whose links float32 cannot decide; their number."""
    expected, expected_shares = links_by("reference", hidden, spans, options)
    found, shares = (x.cpu() for x in pair_matrices(*moved(on, hidden, spans), options))
    different = differing(found, expected)
    if len(different):
        undecided = hangs_on_rounding(hidden[different], spans[different], options)
        assert undecided.all(), (options, different[~undecided].tolist())
    common = found & expected
    torch.testing.assert_close(shares[common], expected_shares[common], atol=5e-5 / min(1, options.mu), rtol=0)
    assert not shares[~found].any()
    return len(different)


def test_links_of_ten_thousand_pairs_with_the_released_options_are_the_references(on):
    different = 0
    for seed in range(200):
        longest = {0: 300, 10: 120}.get(seed % 20, SIZES[seed % 6])
        different += assert_same_links(on, *random_pairs(seed, 50, longest, scale=(0.3, 5.0)[seed % 2]), RELEASED)
    assert different <= 4


@pytest.mark.parametrize("common", [2.0, 0.0])
def test_links_under_all_options_are_the_references(on, common):
    for seed in range(80):
        longest = {0: 150, 10: 120}.get(seed % 20, SIZES[seed % 6])
        assert_same_links(on, *random_pairs(1000 + seed, 30, longest, common=common), random_options(seed))


@DTYPES
@ORDERS
@pytest.mark.parametrize("filter", FILTERS)
@pytest.mark.parametrize(("iterations", "longest"), [(2, 75), (0, 3)])
def test_links_and_labels_of_each_filter_are_the_references(on, dtype, order, filter, iterations, longest):
    # Without iterations the released filter's exception for sides of two tokens matters. The products of 16-bit states
    # are exact in float32, but for the order of their sums.
    options = Transport(filter=filter, order=order, rounds=3, iterations=iterations)
    hidden, spans = random_pairs(50, 24, longest, width=64)
    hidden = hidden.to(dtype)
    assert_same_links(on, hidden, spans, options)
    with backend.using("reference"):
        expected = options.labels(hidden, spans)
    for sizes in (None, side_sizes(spans)):
        differ = (options.labels(*moved(on, hidden, spans), sizes=sizes).cpu() != expected).any(1)
        assert hangs_on_rounding(hidden[differ], spans[differ], options).all()


@pytest.mark.parametrize("longest", [30, 60, 120, 150])
def test_rounds_are_put_together_by_the_operator(on, longest):
    for seed, filter in enumerate(FILTERS):
        hidden, spans = moved(on, *random_pairs(30 + seed, 20, longest))
        assert_highest(hidden, spans, (longest, longest), Transport(filter=filter, rounds=4))


@pytest.mark.parametrize("mu", [1.0, 0.3, 0.05, 0.02, 0.01])
@pytest.mark.parametrize("filter", ["itermax", "union"])
def test_probabilities_are_no_further_from_float64_than_the_references(on, mu, filter):
    options = Transport(mu=mu, filter=filter)
    hidden, spans = random_pairs(7, 40, 30)
    exact_links, exact = links_by("reference", hidden.double(), spans, options)
    reference_links, reference = links_by("reference", hidden, spans, options)
    links, found = (x.cpu() for x in pair_matrices(*moved(on, hidden, spans), options))
    common = exact_links & reference_links & links
    assert common.sum() > 0.95 * exact_links.sum()
    error = (found - exact)[common].abs().max()
    assert error <= 2 * (reference - exact)[common].abs().max() + 1e-6 / mu


@ORDERS
@pytest.mark.parametrize(
    ("mu", "domain"), [(1.0, "linear"), (1.0, "log"), (0.2, "linear"), (0.2, "log"), (0.01, "log")]
)
@pytest.mark.parametrize("iterations", [0, 1, 2, 50])
@pytest.mark.parametrize("longest", [20, 200])
def test_plan_is_no_further_from_float64_than_the_references(on, order, mu, domain, iterations, longest):
    hidden, spans = random_pairs(11, 6, longest)
    similarity, src_mask, tgt_mask = pair_similarity(hidden, spans)
    options = SinkhornOptions(iterations=iterations, mu=mu, order=order, domain=domain)
    draw = torch.Generator().manual_seed(1)
    masses = {"src_mass": torch.rand(src_mask.shape, generator=draw) + 0.1}
    masses |= {"tgt_mass": torch.rand(tgt_mask.shape, generator=draw) + 0.1}
    masses["tgt_mass"][:, 0] = 0
    for given in ({}, masses):
        wide = {name: mass.double() for name, mass in given.items()}
        exact = sinkhorn(similarity.double(), src_mask, tgt_mask, options, **wide)
        reference = sinkhorn(similarity, src_mask, tgt_mask, options, **given)
        there = {name: mass.to(on) for name, mass in given.items()}
        found = fused.plan(*moved(on, similarity, src_mask.sum(1), tgt_mask.sum(1)), options, **there).cpu()
        assert found.shape == exact.shape
        # Twice: either may be the luckier one in its last bits.
        assert (found - exact).abs().amax() <= 2 * (reference - exact).abs().amax() + 1e-6 / mu
        assert not found[~(src_mask[:, :, None] & tgt_mask[:, None, :])].any()


@ORDERS
@pytest.mark.parametrize(("n", "m"), [(3, 300), (128, 4), (20, 60)])
def test_many_iterations_on_sides_of_different_length_keep_their_plan(on, order, n, m):
    similarity = torch.rand(1, n, m, generator=torch.Generator().manual_seed(n)) + 0.1
    options = SinkhornOptions(iterations=300, order=order, domain="linear")
    exact = sinkhorn(
        similarity.double(),
        torch.ones(1, n).bool(),
        torch.ones(1, m).bool(),
        dataclasses.replace(options, domain="log"),
    )
    found = fused.plan(*moved(on, similarity, torch.tensor([n]), torch.tensor([m])), options)
    torch.testing.assert_close(found.cpu().double(), exact, rtol=1e-4, atol=1e-7)


def test_no_plan_is_lost_in_float32(on):
    for seed in range(400):
        similarity, masks, options, masses = hard_plan(seed)
        exact = exact_plan(similarity, masks, options, masses)
        there = {name: mass.to(on) for name, mass in masses.items()}
        found = fused.plan(*moved(on, similarity, *(mask.sum(1) for mask in masks)), options, **there).cpu()
        torch.testing.assert_close(found.double(), exact, rtol=0, atol=1e-3 * exact.max().item())


@DTYPES
@ORDERS
@pytest.mark.parametrize("k", [1, 8, 15, 40, 50])
def test_links_of_a_plan_that_is_made_again_are_those_of_float64(on, dtype, order, k):
    options = Transport(mu=0.1, iterations=100, order=order)
    hidden, spans = lost_pair(k)
    exact, _ = links_by("reference", hidden.double(), spans, dataclasses.replace(options, domain="log"))
    found = pair_matrices(*moved(on, hidden.to(dtype), spans), options)[0].cpu()
    assert torch.equal(found, exact) and exact.sum() > k


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("longest", [30, 60, 120, 200])
def test_16_bit_states_keep_the_links_of_float64(on, dtype, longest):
    hidden, spans = random_pairs(4, 64, longest, width=768, scale=0.7)
    exact, _ = links_by("reference", hidden.double(), spans, RELEASED)
    found = pair_matrices(*moved(on, hidden.to(dtype), spans))[0].cpu()
    f1 = 2 * (found & exact).sum() / (found.sum() + exact.sum())
    assert f1 >= 0.995


@DTYPES
@pytest.mark.parametrize("width", [1, 7, 8, 33, 64, 72, 200, 768])
def test_every_width_is_read_whole_and_nothing_beside_it(on, dtype, width):
    for longest in (20, 50, 100, 150):
        hidden, spans = random_pairs(2, 10, longest, width=width)
        hidden, spans = moved(on, hidden.mul(2).round(), spans)
        length = hidden.shape[1]
        similarity, _, _ = pair_similarity(hidden, spans, sizes=(longest, longest))
        expected, _ = fused.link_partners_of(similarity, spans, length, EXACT)
        for before, after in ((8, 16 - width % 8), (3, 4)):
            inner = torch.full((10, length + 2, width + before + after), torch.nan, dtype=dtype, device=on)
            inner[:, 1:-1, before:-after] = hidden
            found, _ = fused.link_partners(inner[:, 1:-1, before:-after], spans, (longest, longest), EXACT)
            assert torch.equal(found, expected) and (found >= 0).any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_pair_has_the_same_bits_each_time_alone_in_any_batch_and_with_any_number_of_threads(on, dtype):
    hidden, spans = random_pairs(9, 40, 140, width=256)
    hidden, spans = moved(on, hidden.to(dtype), spans)
    options = Transport(rounds=3, mu=0.5)

    def partners(hidden, spans, longest=(140, 140)):
        return fused.link_partners(hidden, spans, longest, options, probabilities=True)

    expected = partners(hidden, spans)
    for _ in all_or_few(range(20)):
        again = partners(hidden, spans)
        assert torch.equal(again[0], expected[0]) and torch.equal(again[1], expected[1])
    threads = torch.get_num_threads()
    torch.set_num_threads(2 if threads == 1 else 1)
    turned = partners(hidden.flip(0), spans.flip(0))
    torch.set_num_threads(threads)
    assert torch.equal(turned[0].flip(1), expected[0]) and torch.equal(turned[1].flip(1), expected[1])
    for row in range(0, 40, 7):
        n, m = side_sizes(spans[row : row + 1])
        end = n + m + 3
        alone = partners(hidden[row : row + 1, :end], spans[row : row + 1], (n, m))
        assert all(torch.equal(one[:, 0], every[:, row, :end]) for one, every in zip(alone, expected, strict=True))


@ON_THE_CPU
def test_as_many_threads_run_as_torch_has(on, monkeypatch):
    asked = []

    class Native:
        def xalign_cpu(self, call):
            asked.append(call._obj.threads)

    monkeypatch.setattr(fused, "library", lambda kind: Native())
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    RELEASED.labels(*random_pairs(9, 2, 3))
    assert asked == [3]


@pytest.mark.parametrize("filter", FILTERS)
def test_ties_go_to_the_lowest_index(on, filter):
    options = Transport(filter=filter, iterations=0, rounds=1)
    for size in (3, 40, 100, 140):
        spans = torch.tensor([[1, size + 1, size + 2, 2 * size + 2]])
        partners, _ = fused.link_partners(*moved(on, torch.ones(1, 2 * size + 3, 3), spans), (size, size), options)
        assert partners[0, 0, 1] == size + 2 and partners[0, 0, size + 2] == 1
        if filter == "union":
            assert (partners[0, 0, 1 : size + 1] == size + 2).all() and (partners[0, 0, size + 2 : -1] == 1).all()
            assert (partners[0, 0, [0, size + 1, -1]] == -1).all()
    for sides in ([1, 2, 5, 8], [1, 4, 5, 6]):  # one token on a side, at different similarities
        noise = torch.randn(1, 9, 3, generator=torch.Generator().manual_seed(1)).abs()
        partners, _ = fused.link_partners(*moved(on, noise, torch.tensor([sides])), (3, 3), RELEASED)
        assert partners[0, 0, 1] == 5 and partners[0, 0, 5] == 1
        assert (partners[0] >= 0).sum() == 2


@LONGEST
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_pair_that_is_not_finite_has_no_links_and_harms_no_other(on, longest, bad, dtype):
    hidden, spans = random_pairs(6, 5, longest, shortest=longest)
    hidden, spans = moved(on, hidden.to(dtype), spans)
    expected = RELEASED.labels(hidden, spans)
    hidden[3, 0] = hidden[3, longest + 1] = bad  # <s> and </s> are not read
    for side in (1, longest + 2):
        broken = hidden.clone()
        broken[2, side, 4] = bad
        labels = RELEASED.labels(broken, spans)
        assert (labels[2] == -1).all() and (labels[:2] >= 0).any(1).all()
        assert torch.equal(labels[[0, 1, 3, 4]], expected[[0, 1, 3, 4]])


@pytest.mark.parametrize("mass", [-1.0, float("nan"), float("inf")])
def test_a_pair_with_a_mass_that_is_none_has_no_plan(on, mass):
    for name in ("src_mass", "tgt_mass"):
        masses = torch.ones(2, 3)
        masses[1, 2] = mass
        similarity, sizes, masses = moved(on, torch.rand(2, 3, 3), torch.tensor([3, 3]), masses)
        plan = fused.plan(similarity, sizes, sizes, SinkhornOptions(order="rows-first"), **{name: masses})
        assert plan[0].sum() > 2.9 and not plan[1].any()


@pytest.mark.parametrize("sides", [(1, 1), (1, 40), (40, 1), (1, 200), (200, 1), (2, 129), (257, 3), (256, 256)])
def test_uneven_sides_and_sides_of_one_token(on, sides):
    for seed, filter in enumerate(FILTERS):
        hidden, spans = random_pairs(seed, 4, max(sides), shortest=max(sides))
        spans[:, 1], spans[:, 3] = spans[:, 0] + sides[0], spans[:, 2] + sides[1]
        assert_same_links(on, hidden, spans, Transport(filter=filter))


def test_pairs_so_long_that_their_vectors_do_not_fit_shared_memory(on):
    assert_same_links(on, *random_pairs(31, 3, 640, shortest=580), RELEASED)
    assert_same_links(on, *random_pairs(32, 2, 700, shortest=600), Transport(mu=0.1, filter="itermax-paper"))


def test_empty_sides_and_empty_batches(on):
    hidden, spans = moved(on, *random_pairs(8, 3, 5))
    spans[1, 1] = spans[1, 0]
    labels = RELEASED.labels(hidden, spans)
    assert (labels[1] == -1).all() and (labels[[0, 2]] >= 0).any(1).all()
    assert RELEASED.labels(hidden[:0], spans[:0]).shape == (0, hidden.shape[1])
    links, probability = pair_matrices(hidden[:0], spans[:0])
    assert links.shape == probability.shape == (0, 0, 0)
    spans[:, 1], spans[:, 3] = spans[:, 0], spans[:, 2]
    assert (RELEASED.labels(hidden, spans) == -1).all()


@pytest.mark.parametrize("mu", [1.0, 0.01])
@pytest.mark.parametrize("sign", [1, -1])
def test_large_states_keep_finite_plans(on, mu, sign):
    for size in (9, 100, 150):
        draw = torch.Generator().manual_seed(size)
        hidden = 100 * (1 + 0.1 * torch.rand(1, 2 * size + 3, 768, generator=draw))
        hidden[:, size + 2 :] *= sign  # all similarities about 7.7e6, or about -7.7e6
        states, spans = moved(on, hidden, torch.tensor([[1, size + 1, size + 2, 2 * size + 2]]))
        found, probability = pair_matrices(states, spans, Transport(mu=mu))
        assert found.any() and probability.isfinite().all()


@pytest.mark.parametrize("filter", FILTERS)
def test_sides_that_begin_with_the_sequence(on, filter):
    hidden = random_pairs(21, 4, 9)[0]
    spans = torch.tensor([[0, 2, 2, 4], [0, 5, 5, 6], [3, 6, 0, 3], [0, 1, 1, 9]])
    assert assert_same_links(on, hidden, spans, Transport(filter=filter)) == 0


def test_offsets_beyond_the_sequence_are_not_read(on):
    hidden, spans = moved(on, *random_pairs(8, 2, 5))
    spans[0, 3] = hidden.shape[1]
    beyond = spans.clone()
    beyond[0, 3] = 10**6
    found, expected = (RELEASED.labels(hidden, each, sizes=(5, 50)) for each in (beyond, spans))
    assert torch.equal(found, expected)


def test_states_and_offsets_of_any_layout(on):
    hidden, spans = moved(on, *random_pairs(19, 6, 40, width=48))
    expected = RELEASED.labels(hidden, spans)
    padded = torch.zeros(*hidden.shape[:2], 2 * hidden.shape[2], device=on)
    padded[..., ::2] = hidden
    layouts = {
        "time before batch": hidden.transpose(0, 1).contiguous().transpose(0, 1),
        "columns first": columns_first(hidden),
        "every other element": padded[..., ::2],
        "every other token": torch.stack([hidden, torch.full_like(hidden, torch.nan)], 2).flatten(1, 2)[:, ::2],
        "every other pair": torch.stack([hidden, torch.full_like(hidden, torch.nan)], 1).flatten(0, 1)[::2],
    }
    for name, same in layouts.items():
        assert torch.equal(same, hidden)
        assert torch.equal(RELEASED.labels(same, spans), expected), name
    for same in (spans.int(), columns_first(spans)):
        assert torch.equal(RELEASED.labels(hidden, same), expected)
    one = hidden[:1].expand(3, -1, -1)  # a stride of 0
    assert torch.equal(RELEASED.labels(one, spans[:1].expand(3, -1)), expected[:1].expand(3, -1))


def columns_first(tensor):
    """The same values with the last two dimensions exchanged in memory."""
    return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)


def test_similarities_and_masses_of_any_layout_and_dtype(on):
    hidden, spans = moved(on, *random_pairs(20, 4, 9, shortest=5))
    similarity, src_mask, tgt_mask = pair_similarity(hidden, spans)
    similarity = similarity.bfloat16()
    sides = (src_mask.sum(1), tgt_mask.sum(1))
    masses = {"src_mass": src_mask * torch.rand(src_mask.shape, device=on).half(), "tgt_mass": tgt_mask * 0.5}
    options = SinkhornOptions(order="rows-first")
    expected = fused.plan(similarity.float(), *sides, options, **{k: v.float() for k, v in masses.items()})
    assert torch.equal(fused.plan(similarity, *sides, options, **masses), expected)
    turned = {name: columns_first(mass) for name, mass in masses.items()}
    assert torch.equal(fused.plan(columns_first(similarity), *sides, options, **turned), expected)
    links, _ = fused.link_partners_of(similarity.float(), spans, hidden.shape[1], RELEASED)
    for same in (similarity, columns_first(similarity.float())):
        assert torch.equal(fused.link_partners_of(same, spans, hidden.shape[1], RELEASED)[0], links)


@pytest.mark.parametrize(("length", "dtype"), [(32767, torch.int16), (32768, torch.int32), (40006, torch.int32)])
def test_how_wide_labels_are(on, length, dtype):
    hidden, spans = moved(on, torch.ones(1, length, 1), torch.tensor([[1, 2, length - 2, length - 1]]))
    labels = RELEASED.labels(hidden, spans)
    assert labels.dtype == dtype and labels[0, 1] == length - 2 and labels[0, length - 2] == 1
    with backend.using("reference"):
        assert torch.equal(RELEASED.labels(hidden, spans), labels)


def test_given_similarities_take_the_place_of_products(on):
    hidden, spans = moved(on, *random_pairs(12, 20, 15))

    def stretched(hidden, spans, *, sizes=None):
        similarity, src_mask, tgt_mask = pair_similarity(hidden, spans, sizes=sizes)
        return (similarity / 50).clamp(-80, 80).exp(), src_mask, tgt_mask

    with backend.using("reference"):
        expected = pair_matrices(hidden, spans, measure=stretched)[0]
    assert torch.equal(pair_matrices(hidden, spans, measure=stretched)[0], expected)


def test_operators_are_what_torch_expects(on):
    hidden, spans = moved(on, *random_pairs(13, 3, 6))
    similarity, src_mask, tgt_mask = pair_similarity(hidden, spans)
    given = (2, 1.0, 1e-6, False, False)
    options = (*given, 0, 2, 0.9)
    sides = (src_mask.sum(1), tgt_mask.sum(1))
    operators = torch.ops.xalign
    for states, probabilities in itertools.product((hidden, hidden.bfloat16(), hidden.half()), (False, True)):
        torch.library.opcheck(operators.sinkhorn_links.default, (states, spans, 6, 6, *options, probabilities))
    torch.library.opcheck(operators.sinkhorn_links_of.default, (similarity, spans, hidden.shape[1], *options, True))
    torch.library.opcheck(operators.sinkhorn_links.default, (hidden, spans, 6, 6, *options, True, True))
    masses = (torch.rand(src_mask.shape, device=on), None)
    torch.library.opcheck(operators.sinkhorn_plan.default, (similarity, *sides, *masses, *given))


@ON_THE_CPU
def test_torch_compile_traces_without_a_break(on):
    hidden, spans = random_pairs(14, 4, 8)

    def step(hidden, spans):
        return Transport().labels(hidden * 2.0, spans, sizes=(8, 8)).long() + 1

    compiled = torch.compile(step, fullgraph=True, backend="aot_eager", dynamic=True)
    for count in (4, 3):
        assert torch.equal(compiled(hidden[:count], spans[:count]), step(hidden[:count], spans[:count]))


def test_states_and_spans_must_belong_together(on):
    hidden, spans = moved(on, *random_pairs(15, 3, 4))
    with pytest.raises(XalignError, match="do not belong together"):
        RELEASED.labels(hidden, spans[:2], sizes=(4, 4))
    with pytest.raises(XalignError, match="float64"):
        RELEASED.labels(hidden.double(), spans)
    # auto leaves float64 to the reference.
    with backend.using("auto"):
        assert torch.equal(RELEASED.labels(hidden.double(), spans), RELEASED.labels(hidden, spans))


def test_gradients_do_not_flow_and_states_are_left_alone(on):
    hidden, spans = moved(on, *random_pairs(16, 3, 4))
    kept = hidden.clone()
    labels = RELEASED.labels(hidden.requires_grad_(), spans)
    assert not labels.requires_grad and torch.equal(hidden, kept)


def test_options_reach_the_operator(on):
    """Each option changes some link of some pair: none is lost between Python and C."""
    hidden, spans = moved(on, *random_pairs(17, 60, 14, common=0.5))
    base = Transport(rounds=3, alpha=0.9, mu=0.9)
    changed = {"iterations": 0, "mu": 0.3, "eps": 5.0, "order": "rows-first", "filter": "itermax-paper"}
    changed |= {"rounds": 2, "alpha": 0.4}
    links = pair_matrices(hidden, spans, base)[0]
    for name, value in changed.items():
        other = dataclasses.replace(base, **{name: value})
        assert not torch.equal(pair_matrices(hidden, spans, other)[0], links), name
