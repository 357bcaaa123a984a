from contextlib import nullcontext

import pytest
import torch
from support import gpu_device
from support.gpu_device import ON, ON_CUDA, no_waiting, on_another_stream, there
from support.links import random_pairs

from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.names import FILTERS
from xalign_fairseq.transport.similarity import pair_similarity
from xalign_fairseq.transport.sinkhorn import backend, fused

pytestmark = pytest.mark.gpu
RELEASED = Transport()
LONGEST = (20, 60, 120, 150, 600)  # of each kernel


@pytest.fixture(autouse=True)
def operator():
    with backend.using(ON):
        yield


@pytest.mark.parametrize("longest", LONGEST)
@pytest.mark.parametrize("filter", FILTERS)
def test_the_operator_does_not_synchronise(longest, filter):
    hidden, spans = there(*random_pairs(1, 6, longest, width=64))
    options = Transport(filter=filter)
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        states = hidden.to(dtype)
        expected = options.labels(states, spans, sizes=(longest, longest))
        with no_waiting():
            found = options.labels(states, spans, sizes=(longest, longest))
        assert torch.equal(found, expected)


@pytest.mark.parametrize("longest", LONGEST)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_graph_replays_it_on_new_states(longest, dtype):
    first, spans = there(*random_pairs(1, 12, longest, width=64))
    states = first.to(dtype)
    replay, labels = gpu_device.graph(lambda: Transport().labels(states, spans, sizes=(longest, longest)))
    for seed in (2, 3):
        second, other = there(*random_pairs(seed, 12, longest, width=64))
        inside = min(states.shape[1], second.shape[1])
        states.zero_()
        states[:, :inside] = second[:, :inside]
        spans.copy_(other.clamp(max=inside))
        expected = Transport().labels(states, spans, sizes=(longest, longest))
        labels.fill_(-7)
        replay()
        assert torch.equal(labels, expected) and (labels >= 0).any()


def test_another_stream_gives_the_same_links_and_other_devices_are_unused():
    hidden, spans = there(*random_pairs(5, 8, 150))
    expected = Transport().labels(hidden, spans)
    before = torch.cuda.current_device() if ON_CUDA else None
    for _ in range(10):
        with on_another_stream():
            # Still being computed when the operator starts: only stream order makes this correct.
            states = hidden.repeat(8, 1, 1).flip(0).flip(0)
            found = Transport().labels(states, spans.repeat(8, 1), sizes=(150, 150))
        assert torch.equal(found, expected.repeat(8, 1))
    assert not ON_CUDA or torch.cuda.current_device() == before


def test_concurrent_streams_do_not_share_memory():
    hidden, spans = there(*random_pairs(5, 16, 150))
    expected = [Transport().labels(hidden * scale, spans) for scale in (1, 2)]
    streams = [torch.cuda.Stream() if ON_CUDA else None for _ in expected]
    gpu_device.wait()
    for _ in range(20):
        found = []
        for scale, stream in zip((1, 2), streams, strict=True):
            with torch.cuda.stream(stream):
                found.append(Transport().labels(hidden * scale, spans, sizes=(150, 150)))
        gpu_device.wait()
        assert all(map(torch.equal, found, expected))


def test_every_device_computes_whatever_the_current_device():
    count = torch.cuda.device_count() if ON_CUDA else 1
    if count < 2 and ON_CUDA:
        pytest.skip("one GPU alone")
    hidden, spans = random_pairs(5, 8, 150)
    expected = Transport().labels(*there(hidden, spans))
    for number in range(count):
        where = f"cuda:{number}" if ON_CUDA else "cpu"
        for current in range(count):
            with torch.cuda.device(current) if ON_CUDA else nullcontext():
                found = Transport().labels(hidden.to(where), spans.to(where))
            assert str(found.device) == where and torch.equal(found.cpu(), expected.cpu())


def test_more_pairs_than_a_grid_of_65535():
    count, times = 70, 1000
    hidden, spans = there(*random_pairs(2, count, 3, width=8))
    expected = Transport().labels(hidden, spans)
    found = Transport().labels(hidden.repeat(times, 1, 1), spans.repeat(times, 1), sizes=(3, 3))
    assert torch.equal(found, expected.repeat(times, 1))
    similarity, _, _ = pair_similarity(hidden, spans, sizes=(3, 3))
    many = (similarity.repeat(times, 1, 1), spans.repeat(times, 1), hidden.shape[1], RELEASED)
    partners, _ = fused.link_partners_of(*many)
    once, _ = fused.link_partners_of(similarity, spans, hidden.shape[1], RELEASED)
    assert torch.equal(partners, once.repeat(1, times, 1))


@pytest.mark.parametrize("longest", [60, 150])
def test_states_of_more_than_two_to_the_31_elements(longest):
    if not ON_CUDA:
        pytest.skip("they take 5 GB")
    hidden, spans = there(*random_pairs(2, 8, longest, width=768))
    expected = Transport().labels(hidden.bfloat16(), spans, sizes=(longest, longest))
    length = hidden.shape[1]
    count = 2**31 // (length * 768) + 100
    many = torch.empty(count, length, 768, dtype=torch.bfloat16, device=ON)
    many[-8:] = hidden
    nothing = spans.new_zeros(count - 8, 4)
    labels = Transport().labels(many, torch.cat([nothing, spans]), sizes=(longest, longest))
    assert torch.equal(labels[-8:], expected) and (labels[:-8] == -1).all()


@pytest.mark.parametrize("longest", [60, 150])
def test_memory_does_not_grow_and_short_pairs_take_no_workspace(longest):
    hidden, spans = there(*random_pairs(4, 64, longest, width=64))
    for _ in range(3):
        labels = Transport().labels(hidden, spans, sizes=(longest, longest))
    del labels
    before = gpu_device.memory_in_use()
    if ON_CUDA:
        torch.cuda.reset_peak_memory_stats()
    for _ in range(50):
        labels = Transport().labels(hidden, spans, sizes=(longest, longest))
    del labels
    gpu_device.wait()
    assert gpu_device.memory_in_use() == before
    matrices = 4 * 64 * (-(-longest // 32) * 32) ** 2  # float32, in rows of whole warps
    labelling = 16 * hidden.shape[0] * hidden.shape[1]  # partners of two rounds, labels; the allocator's blocks
    peak = torch.cuda.max_memory_allocated() if ON_CUDA else 0
    assert peak - before <= labelling + (matrices if longest > 128 else 0) + 2**16
