import dataclasses
import itertools
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from support.fused import LONGEST, ON_THE_CPU, RELEASED, assert_same_links, moved
from support.links import pair_matrices, pairs_of, random_pairs

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.names import FILTERS
from xalign_fairseq.transport.options import SinkhornOptions
from xalign_fairseq.transport.similarity import pair_similarity
from xalign_fairseq.transport.sinkhorn import backend, fused


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
def test_a_non_finite_pair_has_no_links_and_affects_no_other_pair(on, longest, bad, dtype):
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
def test_a_pair_with_an_invalid_mass_has_no_plan(on, mass):
    for name in ("src_mass", "tgt_mass"):
        masses = torch.ones(2, 3)
        masses[1, 2] = mass
        similarity, sizes, masses = moved(on, torch.rand(2, 3, 3), torch.tensor([3, 3]), masses)
        plan = fused.plan(similarity, sizes, sizes, SinkhornOptions(order="rows-first"), **{name: masses})
        assert plan[0].sum() > 2.9 and not plan[1].any()


@pytest.mark.parametrize("sides", [(1, 1), (1, 40), (40, 1), (1, 200), (200, 1), (2, 129), (257, 3), (256, 256)])
def test_uneven_sides_and_sides_of_one_token(on, sides):
    for seed, filter in enumerate(FILTERS):
        assert_same_links(on, *pairs_of([sides] * 4, seed=seed), Transport(filter=filter))


def test_pairs_whose_vectors_exceed_shared_memory(on):
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
    """The same values with the last two dimensions swapped in memory."""
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
def test_label_dtypes_depend_on_the_length(on, length, dtype):
    hidden, spans = moved(on, torch.ones(1, length, 1), torch.tensor([[1, 2, length - 2, length - 1]]))
    labels = RELEASED.labels(hidden, spans)
    assert labels.dtype == dtype and labels[0, 1] == length - 2 and labels[0, length - 2] == 1
    with backend.using("reference"):
        assert torch.equal(RELEASED.labels(hidden, spans), labels)


def test_given_similarities_replace_products(on):
    hidden, spans = moved(on, *random_pairs(12, 20, 15))

    def stretched(hidden, spans, *, sizes=None):
        similarity, src_mask, tgt_mask = pair_similarity(hidden, spans, sizes=sizes)
        return (similarity / 50).clamp(-80, 80).exp(), src_mask, tgt_mask

    with backend.using("reference"):
        expected = pair_matrices(hidden, spans, measure=stretched)[0]
    assert torch.equal(pair_matrices(hidden, spans, measure=stretched)[0], expected)


def test_operators_pass_opcheck(on):
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


def test_states_and_spans_must_match(on):
    hidden, spans = moved(on, *random_pairs(15, 3, 4))
    with pytest.raises(XalignError, match="states and spans do not match"):
        RELEASED.labels(hidden, spans[:2], sizes=(4, 4))
    with pytest.raises(XalignError, match="float64"):
        RELEASED.labels(hidden.double(), spans)
    # auto leaves float64 to the reference.
    with backend.using("auto"):
        assert torch.equal(RELEASED.labels(hidden.double(), spans), RELEASED.labels(hidden, spans))


def test_there_are_no_gradients_and_states_are_not_modified(on):
    hidden, spans = moved(on, *random_pairs(16, 3, 4))
    kept = hidden.clone()
    assert not RELEASED.labels(hidden.requires_grad_(), spans).requires_grad and torch.equal(hidden, kept)


def test_options_reach_the_operator(on):
    """Each option changes some link: none is lost between Python and C."""
    hidden, spans = moved(on, *random_pairs(17, 60, 14, common=0.5))
    base = Transport(rounds=3, alpha=0.9, mu=0.9)
    changed = {"iterations": 0, "mu": 0.3, "eps": 5.0, "order": "rows-first", "filter": "itermax-paper"}
    changed |= {"rounds": 2, "alpha": 0.4}
    links = pair_matrices(hidden, spans, base)[0]
    for name, value in changed.items():
        other = dataclasses.replace(base, **{name: value})
        assert not torch.equal(pair_matrices(hidden, spans, other)[0], links), name


MEMORY = Path("/proc/self/statm")
PROGRAM = f"""
import resource
import torch
from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.sinkhorn import backend

def taken(field):
    return int(open("{MEMORY}").read().split()[field]) * resource.getpagesize()

def pair(n):
    return torch.randn(1, 2 * n + 3, 2), torch.tensor([[1, n + 1, n + 2, 2 * n + 2]])

MAPPED, RESIDENT = 0, 1
few = pair(20)
with backend.using("cpu"):
    expected = Transport().labels(*few)
    before = taken(RESIDENT)
    Transport().labels(*pair(3000))
    print(taken(RESIDENT) - before)
    long = pair(10000)
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (taken(MAPPED) + 2 * 10000**2, most))  # the matrix has 4 n^2 bytes
    try:
        Transport().labels(*long)
    except MemoryError as error:
        print(error)
    print(torch.equal(Transport().labels(*few), expected))
"""


@pytest.mark.skipif(not MEMORY.exists(), reason="no /proc")
def test_memory_of_long_pairs_is_freed_and_exhausted_memory_raises():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    kept, error, same = done.stdout.splitlines()
    assert int(kept) < 2 * 3000**2  # the matrix has 4 n^2 bytes
    assert "do not fit" in error and same == "True"
