"""The fused operator against the reference: links on ten thousand ragged pairs, tolerances, ties, bad numbers, bits."""

import dataclasses
import itertools

import pytest
import torch
from support.links import (
    assert_highest,
    differing,
    hangs_on_rounding,
    links_by,
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
SIZES = (3, 9, 20, 45, 90)


@pytest.fixture(autouse=True)
def native_backend():
    with backend.using("cpu"):
        yield


def assert_same_links(hidden, spans, options):
    """Identical, but for pairs whose links float32 cannot decide; their number."""
    expected, _ = links_by("reference", hidden, spans, options)
    found, _ = pair_matrices(hidden, spans, options)
    different = differing(found, expected)
    if len(different):
        undecided = hangs_on_rounding(hidden[different], spans[different], options)
        assert undecided.all(), (options, different[~undecided].tolist())
    return len(different)


def test_links_of_ten_thousand_pairs_with_the_released_options_are_the_references():
    different = 0
    for seed in range(200):
        longest = 300 if seed % 20 == 0 else SIZES[seed % 5]
        different += assert_same_links(*random_pairs(seed, 50, longest, scale=(0.3, 5.0)[seed % 2]), RELEASED)
    assert different <= 2


@pytest.mark.parametrize("common", [2.0, 0.0])
def test_links_under_all_options_are_the_references(common):
    for seed in range(60):
        longest = 150 if seed % 20 == 0 else SIZES[seed % 4]
        assert_same_links(*random_pairs(1000 + seed, 30, longest, common=common), random_options(seed))


@pytest.mark.parametrize("filter", FILTERS)
@pytest.mark.parametrize("order", ["columns-first", "rows-first"])
@pytest.mark.parametrize(("iterations", "longest"), [(2, 25), (0, 3)])
def test_labels_are_the_references(filter, order, iterations, longest):
    # Without iterations the released filter's exception for sides of two tokens matters.
    options = Transport(filter=filter, order=order, rounds=3, iterations=iterations)
    hidden, spans = random_pairs(5, 40, longest)
    with backend.using("reference"):
        expected = options.labels(hidden, spans)
    assert torch.equal(options.labels(hidden, spans), expected)
    assert torch.equal(options.labels(hidden, spans, sizes=side_sizes(spans)), expected)


def test_rounds_are_put_together_by_the_operator():
    for seed, filter in enumerate(FILTERS * 2):
        assert_highest(*random_pairs(30 + seed, 20, 25), (25, 25), Transport(filter=filter, rounds=4))


@pytest.mark.parametrize("mu", [1.0, 0.3, 0.05, 0.02, 0.01])
@pytest.mark.parametrize("filter", ["itermax", "union"])
def test_probabilities_are_no_further_from_float64_than_the_references(mu, filter):
    options = Transport(mu=mu, filter=filter)
    hidden, spans = random_pairs(7, 40, 30)
    exact_links, exact = links_by("reference", hidden.double(), spans, options)
    reference_links, reference = links_by("reference", hidden, spans, options)
    links, found = pair_matrices(hidden, spans, options)
    common = exact_links & reference_links & links
    assert common.sum() > 0.95 * exact_links.sum()
    error = (found - exact)[common].abs().max()
    assert error <= 2 * (reference - exact)[common].abs().max() + 1e-6 / mu
    assert not found[~links].any()


@pytest.mark.parametrize("order", ["columns-first", "rows-first"])
@pytest.mark.parametrize(
    ("mu", "domain"), [(1.0, "linear"), (1.0, "log"), (0.2, "linear"), (0.2, "log"), (0.01, "log")]
)
@pytest.mark.parametrize("iterations", [0, 1, 2, 50])
@pytest.mark.parametrize("masses", [False, True])
def test_plan_is_no_further_from_float64_than_the_references(order, mu, domain, iterations, masses):
    hidden, spans = random_pairs(11, 12, 20)
    similarity, src_mask, tgt_mask = pair_similarity(hidden, spans)
    options, given = SinkhornOptions(iterations=iterations, mu=mu, order=order, domain=domain), {}
    if masses:
        draw = torch.Generator().manual_seed(1)
        given = {"src_mass": torch.rand(src_mask.shape, generator=draw) + 0.1}
        given |= {"tgt_mass": torch.rand(tgt_mask.shape, generator=draw) + 0.1}
        given["tgt_mass"][:, 0] = 0
    wide = {name: mass.double() for name, mass in given.items()}
    exact = sinkhorn(similarity.double(), src_mask, tgt_mask, options, **wide)
    reference = sinkhorn(similarity, src_mask, tgt_mask, options, **given)
    found = fused.plan(similarity, src_mask.sum(1), tgt_mask.sum(1), options, **given)
    assert found.shape == exact.shape
    # Twice: either may be the luckier one in its last bits.
    assert (found - exact).abs().amax() <= 2 * (reference - exact).abs().amax() + 1e-6 / mu
    assert not found[~(src_mask[:, :, None] & tgt_mask[:, None, :])].any()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_16_bit_states_give_the_links_of_the_same_states_in_float32(dtype):
    hidden, spans = random_pairs(3, 60, 40)
    short = hidden.to(dtype)
    assert torch.equal(Transport().labels(short, spans), Transport().labels(short.float(), spans))


def test_bfloat16_keeps_the_links_of_float64():
    hidden, spans = random_pairs(4, 200, 48, width=256, scale=1.2)
    exact, _ = links_by("reference", hidden.double(), spans, RELEASED)
    found, _ = pair_matrices(hidden.bfloat16(), spans)
    f1 = 2 * (found & exact).sum() / (found.sum() + exact.sum())
    assert f1 >= 0.995


def test_a_pair_has_the_same_bits_alone_in_any_batch_and_with_any_number_of_threads():
    hidden, spans = random_pairs(9, 24, 70)
    options = Transport(rounds=3, mu=0.5)
    partners, probability = fused.link_partners(hidden, spans, (70, 70), options, probabilities=True)
    threads = torch.get_num_threads()
    torch.set_num_threads(2 if threads == 1 else 1)
    again = fused.link_partners(hidden.flip(0), spans.flip(0), (70, 70), options, probabilities=True)
    torch.set_num_threads(threads)
    assert torch.equal(again[0].flip(1), partners)
    assert torch.equal(again[1].flip(1), probability)
    for row in range(0, 24, 5):
        n, m = side_sizes(spans[row : row + 1])
        end = n + m + 3
        alone = fused.link_partners(
            hidden[row : row + 1, :end], spans[row : row + 1], (n, m), options, probabilities=True
        )
        assert torch.equal(alone[0][:, 0], partners[:, row, :end])
        assert torch.equal(alone[1][:, 0], probability[:, row, :end])


def test_as_many_threads_run_as_torch_has(monkeypatch):
    asked = []

    class Native:
        def xalign_cpu(self, call):
            asked.append(call._obj.threads)

    monkeypatch.setattr(fused, "library", lambda kind: Native())
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    Transport().labels(*random_pairs(9, 2, 3))
    assert asked == [3]


@pytest.mark.parametrize("width", [1, 7, 8, 23, 64])
def test_widths_and_strides_of_any_kind(width):
    hidden, spans = random_pairs(2, 20, 12, width=width)
    expected = Transport().labels(hidden, spans)
    by_token = hidden.transpose(0, 1).contiguous().transpose(0, 1)
    inner = torch.full((20, hidden.shape[1] + 2, width + 5), torch.nan)
    inner[:, 1:-1, 2:-3] = hidden
    for same in (by_token, inner[:, 1:-1, 2:-3], hidden.transpose(1, 2).contiguous().transpose(1, 2)):
        assert torch.equal(Transport().labels(same, spans), expected)


def test_ties_go_to_the_lowest_index():
    hidden = torch.ones(1, 9, 3)  # <s> a a a </s> b b b </s>: all tokens alike
    options = Transport(filter="union", iterations=0)
    partners, _ = fused.link_partners(hidden, torch.tensor([[1, 4, 5, 8]]), (3, 3), options)
    assert partners.tolist() == [[[-1, 5, 5, 5, -1, 1, 1, 1, -1]]]
    for sides in ([1, 2, 5, 8], [1, 4, 5, 6]):  # one token on a side, at different similarities
        noise = torch.randn(1, 9, 3, generator=torch.Generator().manual_seed(1)).abs()
        partners, _ = fused.link_partners(noise, torch.tensor([sides]), (3, 3), RELEASED)
        assert partners[0, 0, 1] == 5 and partners[0, 0, 5] == 1
        assert (partners[0] >= 0).sum() == 2


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("side", [1, 12])
def test_a_pair_with_a_number_that_is_not_finite_has_no_links_and_harms_no_other(bad, side):
    hidden, spans = random_pairs(6, 5, 9, shortest=9)
    expected = Transport().labels(hidden, spans)
    hidden[2, side, 4] = bad
    hidden[3, 0], hidden[3, 10] = bad, bad  # <s> and </s> are not read
    labels = Transport().labels(hidden, spans)
    assert (labels[2] == -1).all()
    others = [0, 1, 3, 4]
    assert torch.equal(labels[others], expected[others])


@pytest.mark.parametrize("mass", [-1.0, float("nan"), float("inf")])
def test_a_pair_with_a_mass_that_is_none_has_no_plan(mass):
    masses = torch.ones(2, 3)
    masses[1, 2] = mass
    sizes = torch.tensor([3, 3])
    for name in ("src_mass", "tgt_mass"):
        plan = fused.plan(torch.rand(2, 3, 3), sizes, sizes, SinkhornOptions(order="rows-first"), **{name: masses})
        assert plan[0].sum() > 2.9 and not plan[1].any()


def test_empty_sides_empty_batches_and_large_states():
    hidden, spans = random_pairs(8, 3, 5)
    spans[1, 1] = spans[1, 0]
    labels = Transport().labels(hidden, spans)
    assert (labels[1] == -1).all() and (labels[[0, 2]] >= 0).any(1).all()
    assert Transport().labels(hidden[:0], spans[:0]).shape == (0, hidden.shape[1])
    links, probability = pair_matrices(hidden[:0], spans[:0])
    assert links.shape == probability.shape == (0, 0, 0)
    for mu, sign in itertools.product((1.0, 0.01), (1, -1)):
        large = torch.full((1, 20, 768), 100.0) * (1 + 0.1 * torch.rand(1, 20, 768))
        large[:, 10:] *= sign  # all similarities about 7.7e6, or about -7.7e6
        found, probability = pair_matrices(large, torch.tensor([[1, 9, 10, 19]]), Transport(mu=mu))
        assert found.any() and probability.isfinite().all()


@pytest.mark.parametrize("filter", FILTERS)
def test_sides_that_begin_with_the_sequence(filter):
    hidden, options = random_pairs(21, 4, 9)[0], Transport(filter=filter)
    spans = torch.tensor([[0, 2, 2, 4], [0, 5, 5, 6], [3, 6, 0, 3], [0, 1, 1, 9]])
    expected, probability = links_by("reference", hidden, spans, options)
    links, found = pair_matrices(hidden, spans, options)
    assert torch.equal(links, expected) and torch.allclose(found, probability, atol=1e-5)


def test_offsets_beyond_the_sequence_are_not_read():
    hidden, spans = random_pairs(8, 2, 5)
    inside = spans.clone()
    inside[0, 3] = hidden.shape[1]
    beyond = inside.clone()
    beyond[0, 3] = 10**6
    found, expected = (RELEASED.labels(hidden, each, sizes=(5, 50)) for each in (beyond, inside))
    assert torch.equal(found, expected)


def columns_first(tensor):
    """The same values with the last two dimensions exchanged in memory."""
    return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)


def test_offsets_of_any_layout_and_integer_type():
    hidden, spans = random_pairs(19, 6, 9)
    expected = Transport().labels(hidden, spans)
    for same in (spans.int(), columns_first(spans)):
        assert torch.equal(Transport().labels(hidden, same), expected)


def test_similarities_and_masses_of_any_layout_and_dtype():
    hidden, spans = random_pairs(20, 4, 9, shortest=5)
    similarity, src_mask, tgt_mask = pair_similarity(hidden, spans)
    similarity = similarity.bfloat16()
    given = (similarity, src_mask.sum(1), tgt_mask.sum(1))
    masses = {"src_mass": src_mask * torch.rand(src_mask.shape).half(), "tgt_mass": tgt_mask * 0.5}
    options = {"iterations": 2, "mu": 1.0, "eps": 1e-6, "order": "rows-first", "domain": "auto"}
    expected = fused.plan(
        similarity.float(), *given[1:], SinkhornOptions(**options), **{k: v.float() for k, v in masses.items()}
    )
    assert torch.equal(fused.plan(*given, SinkhornOptions(**options), **masses), expected)
    turned = {name: columns_first(mass) for name, mass in masses.items()}
    assert torch.equal(
        fused.plan(columns_first(similarity), *given[1:], SinkhornOptions(**options), **turned), expected
    )
    links, _ = fused.link_partners_of(similarity.float(), spans, hidden.shape[1], RELEASED)
    for same in (similarity, columns_first(similarity.float())):
        assert torch.equal(fused.link_partners_of(same, spans, hidden.shape[1], RELEASED)[0], links)


@pytest.mark.parametrize(("length", "dtype"), [(32767, torch.int16), (32768, torch.int32)])
def test_how_wide_labels_are(length, dtype):
    spans = torch.tensor([[1, 2, length - 2, length - 1]])
    labels = Transport().labels(torch.ones(1, length, 1), spans)
    assert labels.dtype == dtype and labels[0, 1] == length - 2
    with backend.using("reference"):
        assert torch.equal(Transport().labels(torch.ones(1, length, 1), spans), labels)


def test_long_sequences_have_wider_labels():
    spans = torch.tensor([[40000, 40002, 40003, 40005]])
    hidden = torch.zeros(1, 40006, 2)
    hidden[0, 40000:40002] = hidden[0, 40003:40005] = torch.eye(2)
    labels = Transport().labels(hidden, spans)
    assert labels.dtype == torch.int32
    assert labels[0, 40000:].tolist() == [40003, 40004, -1, 40000, 40001, -1]


def test_given_similarities_take_the_place_of_products():
    hidden, spans = random_pairs(12, 20, 15)

    def stretched(hidden, spans, *, sizes=None):
        similarity, src_mask, tgt_mask = pair_similarity(hidden, spans, sizes=sizes)
        return (similarity / 50).clamp(-80, 80).exp(), src_mask, tgt_mask

    with backend.using("reference"):
        expected = pair_matrices(hidden, spans, measure=stretched)[0]
    assert torch.equal(pair_matrices(hidden, spans, measure=stretched)[0], expected)


def test_operators_are_what_torch_expects():
    hidden, spans = random_pairs(13, 3, 6)
    similarity, src_mask, tgt_mask = pair_similarity(hidden, spans)
    sinkhorn_options = (2, 1.0, 1e-6, False, False)
    options = (*sinkhorn_options, 0, 2, 0.9)
    sides = (src_mask.sum(1), tgt_mask.sum(1))
    ops = torch.ops.xalign
    for states, probabilities in itertools.product((hidden, hidden.bfloat16()), (False, True)):
        torch.library.opcheck(ops.sinkhorn_links.default, (states, spans, 6, 6, *options, probabilities))
    torch.library.opcheck(ops.sinkhorn_links_of.default, (similarity, spans, hidden.shape[1], *options, True))
    torch.library.opcheck(ops.sinkhorn_links.default, (hidden, spans, 6, 6, *options, True, True))
    masses = (torch.rand(src_mask.shape), None)
    torch.library.opcheck(ops.sinkhorn_plan.default, (similarity, *sides, *masses, *sinkhorn_options))


def test_torch_compile_traces_without_a_break():
    hidden, spans = random_pairs(14, 4, 8)

    def step(hidden, spans):
        return Transport().labels(hidden * 2.0, spans, sizes=(8, 8)).long() + 1

    compiled = torch.compile(step, fullgraph=True, backend="aot_eager", dynamic=True)
    for count in (4, 3):
        assert torch.equal(compiled(hidden[:count], spans[:count]), step(hidden[:count], spans[:count]))


def test_states_and_spans_must_belong_together():
    hidden, spans = random_pairs(15, 3, 4)
    with pytest.raises(XalignError, match="do not belong together"):
        Transport().labels(hidden, spans[:2], sizes=(4, 4))
    with pytest.raises(XalignError, match="float64"):
        Transport().labels(hidden.double(), spans)
    # auto leaves float64 to the reference.
    with backend.using("auto"):
        assert torch.equal(Transport().labels(hidden.double(), spans), Transport().labels(hidden, spans))


def test_gradients_do_not_flow_and_states_are_left_alone():
    hidden, spans = random_pairs(16, 3, 4)
    kept = hidden.clone()
    labels = Transport().labels(hidden.requires_grad_(), spans)
    assert not labels.requires_grad and torch.equal(hidden, kept)


def test_options_reach_the_operator():
    """Each option changes some link of some pair: none is lost between Python and C."""
    hidden, spans = random_pairs(17, 60, 14, common=0.5)
    base = Transport(rounds=3, alpha=0.9, mu=0.9)
    changed = {"iterations": 0, "mu": 0.3, "eps": 5.0, "order": "rows-first", "filter": "itermax-paper"}
    changed |= {"rounds": 2, "alpha": 0.4}
    links = pair_matrices(hidden, spans, base)[0]
    for name, value in changed.items():
        other = dataclasses.replace(base, **{name: value})
        assert not torch.equal(pair_matrices(hidden, spans, other)[0], links), name


@pytest.mark.parametrize("order", ["columns-first", "rows-first"])
@pytest.mark.parametrize(("n", "m"), [(3, 300), (128, 4), (20, 60)])
def test_many_iterations_on_sides_of_different_length_keep_their_plan(order, n, m):
    similarity = torch.rand(1, n, m, generator=torch.Generator().manual_seed(n)) + 0.1
    given = {"iterations": 300, "order": order}
    exact = sinkhorn(
        similarity.double(), torch.ones(1, n).bool(), torch.ones(1, m).bool(), SinkhornOptions(**given, domain="log")
    )
    sides = torch.tensor([n]), torch.tensor([m])
    found = fused.plan(similarity, *sides, SinkhornOptions(**given, mu=1.0, eps=1e-6, domain="linear"))
    torch.testing.assert_close(found.double(), exact, rtol=1e-4, atol=1e-7)
