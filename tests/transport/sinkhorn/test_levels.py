"""The CPU operator compiled for each level that this CPU has: the products of each dtype, whole, and their links."""

import ctypes

import pytest
import torch
from support.links import differing, hangs_on_rounding, links_by, pair_matrices, random_pairs

from xalign_fairseq.transport.labels import self_label
from xalign_fairseq.transport.options import TransportOptions
from xalign_fairseq.transport.similarity import pair_similarity
from xalign_fairseq.transport.sinkhorn import backend, building, fused, toolchain
from xalign_fairseq.transport.sinkhorn.toolchain import LEVELS, LIBRARY, compile_library, cpu_level, level_runs

pytestmark = pytest.mark.slow
HERE = [level for level in LEVELS if level_runs(level, cpu_level())] or [cpu_level()]
EXACT = TransportOptions(iterations=0)  # nothing depends on the order of sums then
SIDES = [(1, 1), (1, 17), (5, 1), (4, 6), (7, 9), (13, 12), (31, 33), (40, 64), (66, 67), (0, 4), (3, 0)]


@pytest.fixture(scope="session", params=HERE)
def level(request, tmp_path_factory):
    """A level and the library that is compiled for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(toolchain, "cpu_level", lambda: request.param)
        recipe = toolchain.make_recipe("cpu", building.SOURCE_FOLDER)
    if recipe.target != request.param:
        pytest.skip(f"the compiler knows nothing of {request.param}")
    folder = tmp_path_factory.mktemp("levels") / request.param
    compile_library(recipe, folder)
    return request.param, ctypes.CDLL(str(folder / LIBRARY))


@pytest.fixture(autouse=True)
def in_its_place(level, monkeypatch):
    monkeypatch.setattr(fused, "library", lambda kind: level[1])
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
    expected, _ = links_by("reference", hidden.float(), spans, TransportOptions())
    different = differing(found, expected)
    assert hangs_on_rounding(hidden[different].float(), spans[different], TransportOptions()).all()
    assert len(different) < 3


@pytest.mark.parametrize("value", [6e-8, 5e-5, 65504.0, float("inf")])
def test_the_edges_of_float16(value):
    hidden = torch.eye(3)[None, [0, 0, 1, 2, 2, 0, 1]] * value
    labels = self_label(hidden.half(), torch.tensor([[1, 3, 5, 7]]), EXACT)
    assert (labels >= 0).any() == (value < torch.inf)


def test_it_says_what_it_multiplies_by(level):
    level, native = level
    native.xalign_cpu_instructions.restype = ctypes.c_char_p
    said = {dtype: native.xalign_cpu_instructions(number).decode() for dtype, number in fused.DTYPES.items()}
    vectors = "AVX-512" if "v4" in level else "AVX2" if "v3" in level else "the compiler's default"
    assert said[torch.float32] == said[torch.float16] == vectors
    plain = {"x86-64-v4-bf16": ("AVX-512 BF16",), "x86-64-v4-amx": ("AMX", "AVX-512 BF16")}
    assert said[torch.bfloat16] in plain.get(level, (vectors,))
