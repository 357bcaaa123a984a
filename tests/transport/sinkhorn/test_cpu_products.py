"""csrc/products.h compiled for several CPUs: the products of each dtype, whole, and their links."""

import ctypes
import subprocess

import pytest
import torch
from support.links import differing, hangs_on_rounding, links_by, pair_matrices, random_pairs

from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.similarity import pair_similarity
from xalign_fairseq.transport.sinkhorn import backend, building, fused, toolchain
from xalign_fairseq.transport.sinkhorn.toolchain import CPU_FLAGS, find_compiler

pytestmark = pytest.mark.slow
EXACT = Transport(iterations=0)  # nothing depends on the order of sums then
SIDES = [(1, 1), (1, 17), (5, 1), (4, 6), (7, 9), (13, 12), (31, 33), (40, 64), (66, 67), (0, 4), (3, 0)]


TARGETS = {"": (), "x86-64-v3": ("avx2", "fma"), "x86-64-v4": ("avx512vl", "avx512dq"), "native": ()}


@pytest.fixture(scope="session", params=TARGETS)
def compiled(request, tmp_path_factory):
    """The library that is compiled for a target: vectors of a compiler, of AVX2, of AVX-512, and all that is here."""
    target = request.param
    if target and not (toolchain.cpu_instructions() and set(TARGETS[target]) <= set(toolchain.cpu_instructions())):
        pytest.skip(f"no {target}")
    flags = [f"-march={target}"] if target else []
    command = [*find_compiler(), *CPU_FLAGS, "-Wno-psabi", *flags, building.SOURCE_FOLDER / "cpu.cpp", "-o"]
    path = tmp_path_factory.mktemp("products") / "cpu.so"
    subprocess.run([*command, path], check=True)
    return ctypes.CDLL(str(path))


@pytest.fixture(autouse=True)
def in_its_place(compiled, monkeypatch):
    monkeypatch.setattr(fused, "library", lambda kind: compiled)
    with backend.using("cpu"):
        yield


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("width", [1, 7, 16, 31, 32, 33, 64, 100])
def test_every_width_is_read_whole_and_nothing_beside_it(dtype, width):
    longest = max(map(max, SIDES))
    hidden, spans = random_pairs(0, len(SIDES), longest, width=width, shortest=longest)
    for row, (n, m) in enumerate(SIDES):
        spans[row, 1], spans[row, 3] = spans[row, 0] + n, spans[row, 2] + m
    hidden = hidden.mul(4).round()  # float32 adds up products of such numbers exactly, in any order
    length, sizes = hidden.shape[1], tuple(max(pair[side] for pair in SIDES) for side in (0, 1))
    expected, _ = fused.link_partners_of(pair_similarity(hidden, spans)[0], spans, length, EXACT)
    for before, after in ((0, 0), (3, 4)):  # rows at multiples of a vector's size, and at others
        inner = torch.full((len(SIDES), length + 2, before + width + after), torch.nan, dtype=dtype)
        inner[:, 1:-1, before : before + width] = hidden
        for pair, (n, m) in enumerate(SIDES):
            inner[pair, 1 + n + 1] = inner[pair, spans[pair, 2] + m + 1] = torch.nan
        found, _ = fused.link_partners(inner[:, 1:-1, before : before + width], spans, sizes, EXACT)
        assert torch.equal(found, expected) and (found >= 0).any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("longest", [12, 30, 62, 140])  # columns that stay in registers, and those that do not
def test_links_are_the_references(dtype, longest):
    hidden, spans = random_pairs(longest, 40, longest, width=72)
    hidden = hidden.to(dtype)
    found, _ = pair_matrices(hidden, spans)
    expected, _ = links_by("reference", hidden.float(), spans, Transport())
    different = differing(found, expected)
    assert hangs_on_rounding(hidden[different].float(), spans[different], Transport()).all()
    assert len(different) < 3


@pytest.mark.parametrize("value", [6e-8, 5e-5, 65504.0, float("inf")])
def test_the_edges_of_float16(value):
    hidden = torch.eye(3)[None, [0, 0, 1, 2, 2, 0, 1]] * value
    assert (EXACT.labels(hidden.half(), torch.tensor([[1, 3, 5, 7]])) >= 0).any() == (value < torch.inf)
