"""The source of the CUDA kernels on emulated threads (cuda_emulator/): results and memory accesses.

Thread order and copies take the worst cases that CUDA allows, so that a missing barrier fails.
"""

import ctypes
import itertools
import shutil
import subprocess
from pathlib import Path

import pytest
import torch
from support.fused import DTYPES, RELEASED, assert_read_whole, assert_same_links
from support.links import (
    assert_highest,
    assert_no_plan_is_lost,
    in_domain,
    links_by,
    lost_pair,
    pair_matrices,
    pairs_of,
    random_options,
    random_pairs,
)

from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.options import SinkhornOptions
from xalign_fairseq.transport.similarity import pair_similarity
from xalign_fairseq.transport.sinkhorn import backend, building, fused, sinkhorn
from xalign_fairseq.transport.sinkhorn.toolchain import find_compiler

pytestmark = pytest.mark.slow
SCHEDULES = list(itertools.product([0, 1], [0, 1]))  # last threads first, copies at once


class Emulated:
    """Stands for the library of the CPU and calls that of CUDA, with memory full of NaN."""

    def __init__(self, path):
        self.native = ctypes.CDLL(str(path))
        self.native.xalign_cuda_workspace.restype = ctypes.c_int64

    def xalign_cpu(self, pointer):
        call = ctypes.cast(pointer, ctypes.POINTER(fused.Call)).contents
        assert call.device == 0
        self.workspace = torch.full((self.native.xalign_cuda_workspace(pointer) + 1,), torch.nan)
        call.workspace = self.workspace.data_ptr()
        self.native.emulator_readable(ctypes.c_void_p(call.hidden), ctypes.c_int64(hidden_bytes(call)))
        failed = self.native.xalign_cuda(pointer)
        assert self.workspace[-1].isnan(), "a write beyond the workspace"
        return failed


def hidden_bytes(call):
    last = (call.batch - 1) * call.batch_stride + (call.length - 1) * call.token_stride
    return (last + call.width) * (4 if call.dtype == fused.DTYPES[torch.float32] else 2)


@pytest.fixture(scope="session")
def emulated(tmp_path_factory):
    if shutil.which("g++") is None:
        pytest.skip("no g++, which compiles the emulated kernels")
    here = Path(__file__).with_name("cuda_emulator")
    out = tmp_path_factory.mktemp("emulated") / "operator.so"
    command = [*find_compiler(), "-O2", "-std=c++17", "-shared", "-fPIC", "-Wno-psabi", f"-I{here}"]
    subprocess.run([*command, f"-I{building.SOURCE_FOLDER}", here / "operator.cpp", "-o", out], check=True)
    return Emulated(out)


@pytest.fixture(autouse=True)
def in_place_of_the_cpu(emulated, monkeypatch):
    monkeypatch.setattr(fused, "library", lambda kind: emulated)
    emulated.native.emulator_select(0, 0)
    with backend.using("cpu"):
        yield


def longest_of(sizes):
    return tuple(map(max, zip(*sizes, strict=True)))


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "sizes",
    [
        [(1, 1), (1, 9), (32, 32), (31, 2), (17, 16), (0, 5), (5, 0), (3, 32)],
        [(33, 1), (64, 64), (2, 49), (63, 33), (7, 9)],
        [(65, 3), (128, 127), (30, 100)],
        [(129, 2), (130, 150), (1, 300), (20, 20)],
    ],
)
def test_links_of_each_kernel_in_each_order_of_threads(emulated, schedule, sizes):
    emulated.native.emulator_select(*schedule)
    hidden, spans = pairs_of(sizes)
    assert_same_links("cpu", hidden, spans, RELEASED)
    assert_highest(hidden, spans, longest_of(sizes), Transport(rounds=3, filter="itermax-paper"))


@pytest.mark.parametrize("schedule", SCHEDULES[1:3])
def test_links_under_all_options(emulated, schedule):
    emulated.native.emulator_select(*schedule)
    for seed in range(30):
        assert_same_links("cpu", *random_pairs(seed, 4, (5, 20, 34)[seed % 3]), random_options(seed))


@DTYPES
@pytest.mark.parametrize("width", [1, 7, 64, 200])
def test_every_width_is_read_without_out_of_bounds_access(emulated, dtype, width):
    for schedule, sizes in zip(
        SCHEDULES, ([(9, 30), (20, 3)], [(60, 20), (50, 40)], [(100, 2)], [(129, 9)]), strict=True
    ):
        emulated.native.emulator_select(*schedule)
        assert_read_whole(*pairs_of(sizes, width), longest_of(sizes), dtype)


def test_results_are_bitwise_equal_in_any_order_of_threads(emulated):
    options = Transport(mu=0.5, rounds=3)
    for sizes in ([(20, 31), (60, 50)], [(80, 70)], [(131, 60)]):
        hidden, spans = pairs_of(sizes)
        found = []
        for schedule in SCHEDULES:
            emulated.native.emulator_select(*schedule)
            found.append(fused.link_partners(hidden, spans, longest_of(sizes), options, probabilities=True))
        for partners, probability in found[1:]:
            assert torch.equal(partners, found[0][0]) and torch.equal(probability, found[0][1])


@pytest.mark.parametrize("schedule", SCHEDULES[:3:2])
@pytest.mark.parametrize("order", ["columns-first", "rows-first"])
@pytest.mark.parametrize(("mu", "domain"), [(1.0, "linear"), (0.2, "linear"), (0.1, "log")])
@pytest.mark.parametrize("iterations", [0, 1, 5])
def test_plans_with_masses_and_without(emulated, schedule, order, mu, domain, iterations):
    emulated.native.emulator_select(*schedule)
    hidden, spans = pairs_of([(7, 5), (1, 40), (36, 33), (0, 3)], seed=1)
    similarity, src_mask, tgt_mask = pair_similarity(hidden, spans)
    similarity[3] = torch.nan
    draw = torch.Generator().manual_seed(1)
    masses = {
        "src_mass": torch.rand(src_mask.shape, generator=draw),
        "tgt_mass": torch.rand(tgt_mask.shape, generator=draw),
    }
    masses["tgt_mass"][:, 2] = 0
    options = in_domain(SinkhornOptions(iterations=iterations, mu=mu, order=order), domain)
    for some in ({}, masses):
        expected = sinkhorn(similarity[:3], src_mask[:3], tgt_mask[:3], options, **{k: v[:3] for k, v in some.items()})
        found = fused.plan(similarity, src_mask.sum(1), tgt_mask.sum(1), options, **some)
        torch.testing.assert_close(found[:3], expected, rtol=2e-4, atol=1e-6)
        assert not found[3].any()


def test_no_plan_is_lost_in_float32():
    assert_no_plan_is_lost(
        25, lambda given, masks, options, masses: fused.plan(given, *(mask.sum(1) for mask in masks), options, **masses)
    )


@pytest.mark.parametrize("schedule", SCHEDULES[:3:2])
@pytest.mark.parametrize(
    ("k", "dtype"), [(1, torch.float32), (12, torch.bfloat16), (30, torch.float16), (44, torch.float32)]
)
def test_links_of_a_recomputed_plan(emulated, schedule, k, dtype):
    emulated.native.emulator_select(*schedule)
    options = Transport(mu=0.1, iterations=100, order="rows-first")
    hidden, spans = lost_pair(k)
    exact, _ = links_by("reference", hidden.double(), spans, in_domain(options, "log"))
    found, _ = pair_matrices(hidden.to(dtype), spans, options)
    assert torch.equal(found, exact) and exact.sum() > k


def test_similarities_given_in_more_pairs_than_a_wave(emulated):
    hidden, spans = pairs_of([(0, 2)] * 511 + [(3, 4), (4, 3), (2, 2)])
    similarity, _, _ = pair_similarity(hidden, spans)
    partners, probability = fused.link_partners_of(similarity, spans, hidden.shape[1], RELEASED, probabilities=True)
    expected = fused.link_partners(hidden, spans, (4, 4), RELEASED, probabilities=True)
    assert torch.equal(partners, expected[0])
    torch.testing.assert_close(probability, expected[1])
    assert (partners[0, 511:] >= 0).any(1).all() and (partners[:, :511] == -1).all()


def test_only_long_pairs_and_given_similarities_need_a_workspace(emulated):
    def floats(**given):
        return emulated.native.xalign_cuda_workspace(ctypes.byref(fused.Call(**given)))

    assert floats(batch=4096, n=128, m=128) == 0
    assert floats(batch=3, n=129, m=10) == 3 * 160 * 32
    assert floats(batch=3, n=20, m=10, similarity=1) == floats(batch=3, n=20, m=10, plan=1) == 3 * 32 * 32
    # At most one wave of pairs. It also has the vectors of very long pairs.
    assert floats(batch=4096, n=512, m=512) == floats(batch=512, n=512, m=512) == 512 * 512 * 512
    assert floats(batch=1, n=2048, m=2048) > 2048 * 2048
    assert floats(batch=512, n=8192, m=8192) > 2**32
