"""The fused operators against the reference: links on ten thousand ragged pairs, tolerances, ties, bad numbers, bits.

Each test runs on the CPU operator and, marked ``gpu``, on the CUDA one.
"""

import pytest
import torch
from support.fused import DTYPES, ON_THE_CPU, ORDERS, RELEASED, SIZES, assert_read_whole, assert_same_links, moved
from support.gpu_device import all_or_few
from support.links import (
    assert_highest,
    assert_no_plan_is_lost,
    hangs_on_rounding,
    in_domain,
    links_by,
    lost_pair,
    pair_matrices,
    random_options,
    random_pairs,
)

from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.names import FILTERS
from xalign_fairseq.transport.options import SinkhornOptions
from xalign_fairseq.transport.similarity import pair_similarity, side_sizes
from xalign_fairseq.transport.sinkhorn import backend, fused, sinkhorn


def test_ten_thousand_pairs_with_the_released_options_equal_the_reference(on):
    different = 0
    for seed in range(200):
        longest = {0: 160, 10: 120}.get(seed % 20, SIZES[seed % 6])
        different += assert_same_links(on, *random_pairs(seed, 50, longest, scale=(0.3, 5.0)[seed % 2]), RELEASED)
    assert different <= 4


@pytest.mark.parametrize("common", [2.0, 0.0])
def test_links_under_all_options_equal_the_reference(on, common):
    for seed in range(80):
        longest = {0: 150, 10: 120}.get(seed % 20, SIZES[seed % 6])
        assert_same_links(on, *random_pairs(1000 + seed, 30, longest, common=common), random_options(seed))


@DTYPES
@ORDERS
@pytest.mark.parametrize("filter", FILTERS)
@pytest.mark.parametrize(("iterations", "longest"), [(2, 75), (0, 3)])
def test_links_and_labels_of_each_filter_equal_the_reference(on, dtype, order, filter, iterations, longest):
    # Without iterations, the released filter's exception for sides of two tokens matters. Products of 16-bit states
    # are exact in float32, except for the order of sums.
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
def test_the_operator_merges_rounds(on, longest):
    for seed, filter in enumerate(FILTERS):
        hidden, spans = moved(on, *random_pairs(30 + seed, 20, longest))
        assert_highest(hidden, spans, (longest, longest), Transport(filter=filter, rounds=4))


@pytest.mark.parametrize("mu", [1.0, 0.3, 0.05, 0.02, 0.01])
@pytest.mark.parametrize("filter", ["itermax", "union"])
def test_probabilities_are_as_close_to_float64_as_the_reference(on, mu, filter):
    options = Transport(mu=mu, filter=filter)
    hidden, spans = random_pairs(7, 40, 30)
    exact_links, exact = links_by("reference", hidden.double(), spans, options)
    reference_links, reference = links_by("reference", hidden, spans, options)
    links, found = (x.cpu() for x in pair_matrices(*moved(on, hidden, spans), options))
    common = exact_links & reference_links & links
    assert common.sum() > 0.95 * exact_links.sum()
    assert (found - exact)[common].abs().max() <= 2 * (reference - exact)[common].abs().max() + 1e-6 / mu


@ORDERS
@pytest.mark.parametrize(
    ("mu", "domain"), [(1.0, "linear"), (1.0, "log"), (0.2, "linear"), (0.2, "log"), (0.01, "log")]
)
@pytest.mark.parametrize("iterations", [0, 1, 2, 50])
@pytest.mark.parametrize("longest", [20, 200])
def test_the_plan_is_as_close_to_float64_as_the_reference(on, order, mu, domain, iterations, longest):
    hidden, spans = random_pairs(11, 6, longest)
    similarity, src_mask, tgt_mask = pair_similarity(hidden, spans)
    options = in_domain(SinkhornOptions(iterations=iterations, mu=mu, order=order), domain)
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
        # Twice: either may have the better last bits.
        assert (found - exact).abs().amax() <= 2 * (reference - exact).abs().amax() + 1e-6 / mu
        assert not found[~(src_mask[:, :, None] & tgt_mask[:, None, :])].any()


@ORDERS
@pytest.mark.parametrize(("n", "m"), [(3, 300), (128, 4), (20, 60)])
def test_many_iterations_on_sides_of_different_length_keep_their_plan(on, order, n, m):
    similarity = torch.rand(1, n, m, generator=torch.Generator().manual_seed(n)) + 0.1
    options = SinkhornOptions(iterations=300, order=order)
    exact = sinkhorn(similarity.double(), torch.ones(1, n).bool(), torch.ones(1, m).bool(), in_domain(options, "log"))
    found = fused.plan(*moved(on, similarity, torch.tensor([n]), torch.tensor([m])), options)
    torch.testing.assert_close(found.cpu().double(), exact, rtol=1e-4, atol=1e-7)


def test_no_plan_is_lost_in_float32(on):
    def plan(similarity, masks, options, masses):
        there = {name: mass.to(on) for name, mass in masses.items()}
        return fused.plan(*moved(on, similarity, *(mask.sum(1) for mask in masks)), options, **there).cpu()

    assert_no_plan_is_lost(400, plan)


@DTYPES
@ORDERS
@pytest.mark.parametrize("k", [1, 8, 15, 40, 50])
def test_links_of_a_recomputed_plan_equal_float64(on, dtype, order, k):
    options = Transport(mu=0.1, iterations=100, order=order)
    hidden, spans = lost_pair(k)
    exact, _ = links_by("reference", hidden.double(), spans, in_domain(options, "log"))
    found = pair_matrices(*moved(on, hidden.to(dtype), spans), options)[0].cpu()
    assert torch.equal(found, exact) and exact.sum() > k


@DTYPES
@pytest.mark.parametrize("width", [1, 7, 8, 33, 64, 72, 200, 768])
def test_every_width_is_read_without_out_of_bounds_access(on, dtype, width):
    for longest in (20, 50, 100, 150):
        hidden, spans = random_pairs(2, 10, longest, width=width)
        assert_read_whole(*moved(on, hidden, spans), (longest, longest), dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_results_are_bitwise_equal_in_any_batch_and_with_any_number_of_threads(on, dtype):
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
def test_the_operator_uses_the_thread_count_of_torch(on, monkeypatch):
    asked = []

    class Native:
        def xalign_cpu(self, call):
            asked.append(call._obj.threads)

    monkeypatch.setattr(fused, "library", lambda kind: Native())
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    RELEASED.labels(*random_pairs(9, 2, 3))
    assert asked == [3]
