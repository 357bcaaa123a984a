import ctypes
import re
import subprocess

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.sinkhorn import building, fused
from xalign_fairseq.transport.sinkhorn.toolchain import ARCHITECTURES, make_recipe

pytestmark = pytest.mark.slow
REGISTERS = 65536  # per multiprocessor
KERNELS = {"fused<32>": (128, 8), "fused<64>": (256, 4), "fused<128>": (512, 2), "similarities": (256, 4)}
KERNELS |= {"stream<true>": (512, 2), "stream<false>": (512, 1)}  # threads, planned blocks per multiprocessor
KERNELS |= {"fused_again": (512, 1), "stream_again<true>": (512, 1), "stream_again<false>": (512, 1)}


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The library for all architectures, and the assembler's report: {(architecture, kernel): text}."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TORCH_CUDA_ARCH_LIST", raising=False)
        try:
            recipe = make_recipe("cuda", building.SOURCE_FOLDER)
        except XalignError as error:
            pytest.skip(str(error))
    out = tmp_path_factory.mktemp("cuda") / "libxalign.so"
    report = ["-Xptxas", "-v", "-Werror", "all-warnings"]
    done = subprocess.run([*recipe.command, *report, recipe.source, "-o", out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "warning" not in done.stderr
    kernels = {}
    for part in (done.stdout + done.stderr).split("Compiling entry function ")[1:]:
        mangled, architecture = re.match(r"'(\S+)' for 'sm_(\w+)'", part).groups()
        names = "fused_again|stream_again|fused|similarities|stream"
        name, argument = re.search(rf"\d({names})(?:IL[ib](\d+)E)?E", mangled).groups()
        argument = {"0": "false", "1": "true"}.get(argument, argument)
        kernels[architecture, f"{name}<{argument}>" if argument else name] = part
    return out, kernels


def test_kernels_do_not_spill_and_the_planned_number_of_blocks_fits(built):
    _, kernels = built
    assert set(kernels) == {(architecture, kernel) for architecture in ARCHITECTURES for kernel in KERNELS}
    for key, report in kernels.items():
        stack, stores, loads = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+)", report).groups()
        assert (stack, stores, loads) == ("0", "0", "0"), (key, report)
        threads, blocks = KERNELS[key[1]]
        registers = int(re.search(r"Used (\d+) registers", report)[1])
        assert -(-registers // 8) * 8 * threads * blocks <= REGISTERS, (key, report)


def test_the_library_loads_without_a_gpu_and_reports_errors(built):
    native = ctypes.CDLL(str(built[0]))
    native.xalign_cuda_error.restype = native.xalign_cuda_probe.restype = ctypes.c_char_p
    native.xalign_cuda.restype = native.xalign_cuda_workspace.restype = ctypes.c_int64
    assert native.xalign_cuda_error(ctypes.c_int64(0)) == b"no error"
    assert native.xalign_cuda_workspace(ctypes.byref(fused.Call(batch=4, n=64, m=128))) == 0
    assert native.xalign_cuda_workspace(ctypes.byref(fused.Call(batch=40, n=64, m=64, iterations=2))) == 64  # marks
    failed = native.xalign_cuda(ctypes.byref(fused.Call(batch=1, n=1, m=1, device=100)))
    assert failed != 0 and len(native.xalign_cuda_error(ctypes.c_int64(failed))) > 5
    if not torch.cuda.is_available():
        assert len(native.xalign_cuda_probe(0)) > 10
