"""Products by the tiles of AMX, whose instructions are emulated (amx_emulator/): layout, tails, links."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest
import torch
from support.links import differing, hangs_on_rounding, links_by, pair_matrices, random_pairs

from xalign_fairseq.transport.labels import self_label
from xalign_fairseq.transport.options import TransportOptions
from xalign_fairseq.transport.similarity import pair_similarity
from xalign_fairseq.transport.sinkhorn import backend, building, fused
from xalign_fairseq.transport.sinkhorn.toolchain import CPU_FLAGS, cpu_level, find_compiler, level_flags, level_runs

pytestmark = pytest.mark.slow
EXACT = TransportOptions(iterations=0)  # nothing depends on the order of sums then
SIDES = [(1, 1), (1, 17), (16, 1), (15, 31), (16, 16), (32, 32), (33, 16), (17, 48), (49, 65), (0, 4), (4, 0)]


class Emulated:
    """Stands for the library of the CPU, and tells the emulator which bytes are hidden states."""

    def __init__(self, path):
        self.native = ctypes.CDLL(str(path))
        self.native.emulator_products.restype = ctypes.c_int64
        self.refuses = False

    @property
    def products(self):
        """How many tiles have been multiplied."""
        return self.native.emulator_products()

    def xalign_cpu(self, pointer):
        call = ctypes.cast(pointer, ctypes.POINTER(fused.Call)).contents
        last = (call.batch - 1) * call.batch_stride + (call.length - 1) * call.token_stride + call.width
        self.native.emulator_select(ctypes.c_void_p(call.hidden), ctypes.c_int64(2 * last), int(self.refuses))
        return self.native.xalign_cpu(pointer)


def compiled(folder):
    """Each has a memory of its own of whether the system permits tiles."""
    here = Path(__file__).with_name("amx_emulator")
    flags = [*CPU_FLAGS[1:], "-O2", *level_flags(cpu_level()), f"-I{here}", f"-I{building.SOURCE_FOLDER}"]
    subprocess.run([*find_compiler(), *flags, here / "operator.cpp", "-o", folder / "operator.so"], check=True)
    return folder / "operator.so"


@pytest.fixture(scope="session")
def path(tmp_path_factory):
    if shutil.which("g++") is None or not level_runs("x86-64-v4", cpu_level()):
        pytest.skip("no g++, or no AVX-512, by which numbers are brought into tiles")
    return compiled(tmp_path_factory.mktemp("emulated"))


@pytest.fixture
def emulated(path, monkeypatch):
    library = Emulated(path)
    monkeypatch.setattr(fused, "library", lambda kind: library)
    with backend.using("cpu"):
        yield library


def pairs_of(sizes, width=24, seed=0):
    """Hidden states of bfloat16 and spans of pairs of given sides."""
    longest = max(max(pair) for pair in sizes)
    hidden, spans = random_pairs(seed, len(sizes), longest, width=width, shortest=longest)
    for row, (n, m) in enumerate(sizes):
        spans[row, 1], spans[row, 3] = spans[row, 0] + n, spans[row, 2] + m
    return hidden.bfloat16(), spans


@pytest.mark.parametrize("width", [1, 7, 31, 32, 33, 64, 200])
@pytest.mark.parametrize(("before", "after"), [(0, 0), (16, 16), (3, 4)])
def test_every_width_is_read_whole_and_nothing_beside_it(emulated, width, before, after):
    hidden, spans = pairs_of(SIDES, width)
    hidden = hidden.float().mul(4).round()  # float32 adds up products of such numbers exactly, in any order
    length, longest = hidden.shape[1], tuple(max(pair[side] for pair in SIDES) for side in (0, 1))
    expected, _ = fused.link_partners_of(pair_similarity(hidden, spans)[0], spans, length, EXACT)
    inner = torch.full((len(SIDES), length + 2, before + width + after), torch.nan, dtype=torch.bfloat16)
    inner[:, 1:-1, before : before + width] = hidden
    for pair, (n, m) in enumerate(SIDES):
        inner[pair, 1 + n + 1] = inner[pair, spans[pair, 2] + m + 1] = torch.nan
    products = emulated.products
    found, _ = fused.link_partners(inner[:, 1:-1, before : before + width], spans, longest, EXACT)
    assert torch.equal(found, expected) and (found >= 0).any()
    steps = (width + 31) // 32
    assert emulated.products - products == steps * sum(-(-n // 16) * -(-m // 16) for n, m in SIDES)


def test_nothing_is_read_behind_the_last_token(emulated):
    hidden, spans = pairs_of([(3, 2)], 64)  # the emulator knows where they end
    assert (self_label(hidden.contiguous(), spans) >= 0).any()


@pytest.mark.parametrize("options", [TransportOptions(), TransportOptions(mu=0.3, filter="union", order="rows-first")])
def test_links_are_the_references(emulated, options):
    hidden, spans = random_pairs(1, 60, 50, width=96)
    hidden = hidden.bfloat16()
    products = emulated.products
    found, _ = pair_matrices(hidden, spans, options)
    assert emulated.products > products
    expected, _ = links_by("reference", hidden.float(), spans, options)
    different = differing(found, expected)
    assert hangs_on_rounding(hidden[different].float(), spans[different], options).all() and len(different) < 3


def test_bfloat16_keeps_the_links_of_float64(emulated):
    hidden, spans = random_pairs(4, 60, 48, width=256, scale=1.2)
    exact, _ = links_by("reference", hidden.double(), spans, TransportOptions())
    found, _ = pair_matrices(hidden.bfloat16(), spans)
    assert 2 * (found & exact).sum() / (found.sum() + exact.sum()) >= 0.995


def test_a_pair_has_the_same_bits_alone_and_in_any_batch(emulated):
    hidden, spans = pairs_of([(20, 31), (60, 50), (3, 40)], width=40)
    options = TransportOptions(rounds=3, mu=0.5)
    together = fused.link_partners(hidden, spans, (60, 50), options, probabilities=True)
    for row in range(3):
        alone = fused.link_partners(hidden[row : row + 1], spans[row : row + 1], (60, 50), options, probabilities=True)
        assert all(torch.equal(one[:, 0], all_[:, row]) for one, all_ in zip(alone, together, strict=True))


def test_a_pair_that_is_not_finite_has_no_links_and_harms_no_other(emulated):
    hidden, spans = pairs_of([(9, 8), (5, 40)])
    expected = self_label(hidden, spans)
    hidden[0, 3, 2] = torch.inf
    labels = self_label(hidden, spans)
    assert (labels[0] == -1).all() and torch.equal(labels[1], expected[1]) and (labels[1] >= 0).any()


def test_other_dtypes_are_not_for_tiles(emulated):
    hidden, spans = pairs_of([(9, 8)])
    products = emulated.products
    for dtype in (torch.float32, torch.float16):
        self_label(hidden.to(dtype), spans)
    assert emulated.products == products


def test_a_system_that_refuses_tiles_has_the_same_links_by_vectors(path, emulated, tmp_path, monkeypatch):
    hidden, spans = pairs_of(SIDES, 64)
    expected = self_label(hidden, spans)
    shutil.copy(path, tmp_path / "operator.so")  # which asks again
    refused = Emulated(tmp_path / "operator.so")
    refused.refuses = True
    monkeypatch.setattr(fused, "library", lambda kind: refused)
    assert torch.equal(self_label(hidden, spans), expected)
    assert refused.products == 0


def test_the_compiler_takes_the_source_for_amx_itself(tmp_path):
    flags = level_flags("x86-64-v4-amx")
    if subprocess.run([*find_compiler(), *flags, "-E", "-x", "c++", "/dev/null"], capture_output=True).returncode:
        pytest.skip("a compiler without AMX")
    source = building.SOURCE_FOLDER / "cpu.cpp"
    subprocess.run([*find_compiler(), *CPU_FLAGS[1:], "-O0", *flags, source, "-o", tmp_path / "amx.so"], check=True)
    native = ctypes.CDLL(str(tmp_path / "amx.so"))
    native.xalign_cpu_instructions.restype = ctypes.c_char_p
    assert native.xalign_cpu_instructions(fused.DTYPES[torch.bfloat16]) in (b"AMX", b"AVX-512 BF16")
