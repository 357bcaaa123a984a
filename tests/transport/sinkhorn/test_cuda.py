"""The CUDA operator on a GPU against the reference: links, tolerances, bits, no waiting, graphs."""

import dataclasses

import pytest
import torch
from sinkhorn_pairs import differing, hangs_on_rounding, links_by, pair_matrices, random_options, random_pairs

from xalign_fairseq.transport.extraction import FILTERS
from xalign_fairseq.transport.labels import self_label
from xalign_fairseq.transport.options import TransportOptions
from xalign_fairseq.transport.similarity import pair_similarity
from xalign_fairseq.transport.sinkhorn import backend, fused, sinkhorn

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]
RELEASED = TransportOptions()
SIZES = (3, 9, 30, 33, 60, 70, 120, 300)


@pytest.fixture(autouse=True)
def cuda_backend():
    with backend.using("cuda"):
        yield


def on_gpu(*tensors):
    return [tensor.cuda() for tensor in tensors]


def assert_same_links(hidden, spans, options):
    """Identical, but for pairs whose links float32 cannot decide; their number."""
    expected, expected_shares = links_by("reference", hidden, spans, options)
    found, shares = (x.cpu() for x in pair_matrices(*on_gpu(hidden, spans), options))
    different = differing(found, expected)
    if len(different):
        undecided = hangs_on_rounding(hidden[different], spans[different], options)
        assert undecided.all(), (options, different[~undecided].tolist())
    common = found & expected
    torch.testing.assert_close(shares[common], expected_shares[common], atol=5e-5 / min(1, options.mu), rtol=0)
    return len(different)


def test_links_of_ten_thousand_pairs_with_the_released_options_are_the_references():
    different = 0
    for seed in range(200):
        different += assert_same_links(*random_pairs(seed, 50, SIZES[seed % 8], scale=(0.3, 5.0)[seed % 2]), RELEASED)
    assert different <= 4


@pytest.mark.parametrize("common", [2.0, 0.0])
def test_links_under_all_options_are_the_references(common):
    for seed in range(80):
        assert_same_links(*random_pairs(1000 + seed, 30, SIZES[seed % 8], common=common), random_options(seed))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("longest", [30, 60, 120, 200])
def test_16_bit_states_keep_the_links_of_float64(dtype, longest):
    hidden, spans = random_pairs(4, 64, longest, width=768, scale=0.7)
    exact, _ = links_by("reference", hidden.double(), spans, RELEASED)
    found = pair_matrices(*on_gpu(hidden.to(dtype), spans))[0].cpu()
    f1 = 2 * (found & exact).sum() / (found.sum() + exact.sum())
    assert f1 >= 0.995


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("width", [1, 7, 8, 33, 64, 72, 200, 768])
def test_every_width_is_read_whole_and_nothing_beside_it(dtype, width):
    options = TransportOptions(iterations=0)  # nothing depends on the order of sums then
    for longest in (20, 50, 100, 150):
        hidden, spans = random_pairs(2, 10, longest, width=width)
        hidden, spans = on_gpu(hidden.mul(2).round(), spans)
        length = hidden.shape[1]
        similarity, _, _ = pair_similarity(hidden, spans, sizes=(longest, longest))
        expected, _ = fused.link_partners_of(similarity, spans, length, options)
        for before, after in ((8, 16 - width % 8), (3, 4)):
            inner = torch.full((10, length + 2, width + before + after), torch.nan, dtype=dtype, device="cuda")
            inner[:, 1:-1, before:-after] = hidden
            found, _ = fused.link_partners(inner[:, 1:-1, before:-after], spans, (longest, longest), options)
            assert torch.equal(found, expected) and (found >= 0).any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_pair_has_the_same_bits_each_time_alone_and_in_any_batch(dtype):
    hidden, spans = random_pairs(9, 40, 140, width=256)
    hidden, spans = on_gpu(hidden.to(dtype), spans)
    options = TransportOptions(rounds=3, mu=0.5)

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
        exact = sinkhorn(similarity.double(), src_mask, tgt_mask, **given, src_mass=wide[0], tgt_mass=wide[1])
        reference = sinkhorn(similarity, src_mask, tgt_mask, **given, src_mass=src_mass, tgt_mass=tgt_mass)
        moved = [None if mass is None else mass.cuda() for mass in (src_mass, tgt_mass)]
        sides = on_gpu(similarity, src_mask.sum(1), tgt_mask.sum(1))
        found = fused.plan(*sides, **given, src_mass=moved[0], tgt_mass=moved[1]).cpu()
        assert (found - exact).abs().amax() <= 2 * (reference - exact).abs().amax() + 1e-6 / mu


@pytest.mark.parametrize("longest", [9, 50, 100, 140])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_pair_that_is_not_finite_has_no_links_and_harms_no_other(longest, bad, dtype):
    hidden, spans = random_pairs(6, 5, longest, shortest=longest)
    hidden, spans = on_gpu(hidden.to(dtype), spans)
    spans[4, 1] = spans[4, 0]
    expected = self_label(hidden, spans)
    hidden[2, longest, 4] = bad
    hidden[3, 0], hidden[3, longest + 1] = bad, bad  # <s> and </s> are not read
    labels = self_label(hidden, spans)
    assert (labels[[2, 4]] == -1).all() and (labels[:2] >= 0).any(1).all()
    assert torch.equal(labels[[0, 1, 3]], expected[[0, 1, 3]])


@pytest.mark.parametrize("filter", FILTERS)
def test_ties_go_to_the_lowest_index(filter):
    options = TransportOptions(filter=filter, iterations=0, rounds=1)
    for size in (3, 40, 100, 140):
        hidden, spans = on_gpu(torch.ones(1, 2 * size + 3, 3), torch.tensor([[1, size + 1, size + 2, 2 * size + 2]]))
        partners, _ = fused.link_partners(hidden, spans, (size, size), options)
        assert partners[0, 0, 1] == size + 2 and partners[0, 0, size + 2] == 1
        if filter == "union":
            assert (partners[0, 0, 1 : size + 1] == size + 2).all() and (partners[0, 0, size + 2 : -1] == 1).all()


def test_nothing_waits_for_the_device():
    hidden, spans = on_gpu(*random_pairs(1, 20, 150, width=64))
    for dtype in (torch.float32, torch.bfloat16):
        states = hidden.to(dtype)
        expected = self_label(states, spans, sizes=(150, 150))
        torch.cuda.set_sync_debug_mode("error")
        try:
            found = self_label(states, spans, sizes=(150, 150))
        finally:
            torch.cuda.set_sync_debug_mode("default")
        assert torch.equal(found, expected)


def test_a_graph_replays_it_on_new_states():
    first, spans = on_gpu(*random_pairs(1, 20, 150, width=64))
    second = on_gpu(random_pairs(2, 20, 150, width=64)[0])[0][:, : first.shape[1]]
    second = torch.nn.functional.pad(second, (0, 0, 0, first.shape[1] - second.shape[1]))
    expected = self_label(second, spans, sizes=(150, 150))
    states = first.clone()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        self_label(states, spans, sizes=(150, 150))
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        labels = self_label(states, spans, sizes=(150, 150))
    states.copy_(second)
    graph.replay()
    assert torch.equal(labels, expected)


def test_similarities_in_more_pairs_than_are_in_the_workspace_at_a_time():
    hidden, spans = on_gpu(*random_pairs(3, 1100, 12))
    similarity, _, _ = pair_similarity(hidden, spans, sizes=(12, 12))
    for options in (RELEASED, dataclasses.replace(RELEASED, filter="union")):
        expected = fused.link_partners(hidden, spans, (12, 12), options, probabilities=True)
        found = fused.link_partners_of(similarity, spans, hidden.shape[1], options, probabilities=True)
        same = (found[0] == expected[0]).all(2).all(0)
        assert same.float().mean() > 0.99  # the sums have another order


def test_other_devices_and_streams_are_left_alone():
    hidden, spans = on_gpu(*random_pairs(5, 8, 20))
    expected = self_label(hidden, spans)
    before = torch.cuda.current_device()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        found = self_label(hidden, spans)
    torch.cuda.current_stream().wait_stream(stream)
    assert torch.equal(found, expected) and torch.cuda.current_device() == before
