import ctypes
import subprocess

import pytest
import torch
from support.fused import DTYPES, EXACT, RELEASED, assert_read_whole, assert_same_links
from support.links import pairs_of, random_pairs

from xalign_fairseq.transport.sinkhorn import backend, building, fused, toolchain
from xalign_fairseq.transport.sinkhorn.toolchain import CPU_FLAGS, find_compiler

pytestmark = pytest.mark.slow
SIDES = [(1, 1), (1, 17), (5, 1), (4, 6), (7, 9), (13, 12), (31, 33), (40, 64), (66, 67), (0, 4), (3, 0)]
# Required instructions. The other tests use a library for this CPU's instructions.
TARGETS = {"": (), "x86-64-v3": ("avx2", "fma"), "x86-64-v4": ("avx512vl", "avx512dq")}


@pytest.fixture(scope="session", params=TARGETS)
def compiled(request, tmp_path_factory):
    """The library compiled for a target: compiler vectors, AVX2 or AVX-512."""
    target = request.param
    if target and not (toolchain.cpu_instructions() and set(TARGETS[target]) <= set(toolchain.cpu_instructions())):
        pytest.skip(f"no {target}")
    flags = [f"-march={target}"] if target else []
    # Half the time of -O3, which the library of the other tests uses.
    command = [*find_compiler(), *CPU_FLAGS, "-O1", "-Wno-psabi", *flags, building.SOURCE_FOLDER / "cpu.cpp", "-o"]
    path = tmp_path_factory.mktemp("products") / "cpu.so"
    subprocess.run([*command, path], check=True)
    return ctypes.CDLL(str(path))


@pytest.fixture(autouse=True)
def in_its_place(compiled, monkeypatch):
    monkeypatch.setattr(fused, "library", lambda kind: compiled)
    with backend.using("cpu"):
        yield


@DTYPES
@pytest.mark.parametrize("width", [1, 7, 16, 31, 32, 33, 64, 100])
def test_every_width_is_read_without_out_of_bounds_access(dtype, width):
    assert_read_whole(*pairs_of(SIDES, width), tuple(map(max, zip(*SIDES, strict=True))), dtype)


@DTYPES
@pytest.mark.parametrize("longest", [12, 30, 62, 140])  # columns in registers, and columns in memory
def test_links_equal_the_reference(dtype, longest):
    hidden, spans = random_pairs(longest, 40, longest, width=72)
    assert assert_same_links("cpu", hidden.to(dtype), spans, RELEASED) < 3


@pytest.mark.parametrize("value", [6e-8, 5e-5, 65504.0, float("inf")])
def test_the_edges_of_float16(value):
    hidden = torch.eye(3)[None, [0, 0, 1, 2, 2, 0, 1]] * value
    assert (EXACT.labels(hidden.half(), torch.tensor([[1, 3, 5, 7]])) >= 0).any() == (value < torch.inf)
