import ctypes
import logging
import os
import platform
import subprocess
import sys

import pytest
import torch

from xalign_fairseq.core import devices
from xalign_fairseq.core.devices import (
    Cpu,
    choose_device,
    choose_dtype,
    cores,
    cpu,
    fast_bfloat16,
    keep_freed_memory,
    training_device,
    visible_gpus,
)
from xalign_fairseq.core.errors import XalignError


@pytest.fixture
def gpus(monkeypatch):
    """Simulates this number of GPUs."""

    def put(count):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: count)

    return put


def test_cores_are_those_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3, 5}, raising=False)
    assert cores() == 2
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert cores() == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1


def test_visible_gpus_have_the_names_of_the_environment(gpus, monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    gpus(2)
    assert visible_gpus() == ["0", "1"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,GPU-8")
    assert visible_gpus() == ["4", "GPU-8"]
    gpus(0)
    assert visible_gpus() == []
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    assert visible_gpus() == []


def test_auto_uses_the_gpu_if_there_is_one(gpus):
    gpus(0)
    assert choose_device("auto").type == choose_device("cpu").type == "cpu"
    gpus(1)
    assert choose_device("auto") == torch.device("cuda") and choose_device("cpu").type == "cpu"
    assert choose_device("cuda:0") == torch.device("cuda:0")


def test_fairseq_trains_on_the_cpu_by_option_or_without_a_gpu(gpus):
    gpus(0)
    assert training_device(False).type == training_device(True).type == "cpu"
    gpus(1)
    assert training_device(False).type == "cuda" and training_device(True).type == "cpu"


@pytest.mark.parametrize(
    ("count", "name", "message"),
    [
        (0, "cuda", "no such GPU"),
        (2, "cuda:2", "no such GPU"),
        (2, "gpu", "unknown device"),
        (2, "cuda:-1", "unknown device"),
    ],
)
def test_a_missing_device_is_refused(gpus, count, name, message):
    gpus(count)
    with pytest.raises(XalignError, match=message):
        choose_device(name)


@pytest.mark.parametrize(("avx", "amx", "expected"), [(False, False, False), (True, False, True), (False, True, True)])
def test_bfloat16_is_fast_where_the_processor_has_instructions_for_it(monkeypatch, avx, amx, expected):
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: avx, raising=False)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: amx, raising=False)
    assert fast_bfloat16(torch.device("cpu")) is expected
    monkeypatch.delattr(torch.cpu, "_is_avx512_bf16_supported")  # an older torch
    assert fast_bfloat16(torch.device("cpu")) is amx


@pytest.mark.parametrize(("capability", "expected"), [((7, 5), False), ((8, 0), True), ((9, 0), True)])
def test_bfloat16_is_fast_on_gpus_from_ampere_on(monkeypatch, capability, expected):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    assert fast_bfloat16(torch.device("cuda:0")) is expected


@pytest.mark.parametrize(
    ("info", "found"),
    [
        ("processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\n", Cpu("AuthenticAMD", 26)),
        ("processor : 0\nCPU implementer : 0x41\n", Cpu("", 0)),
        (None, Cpu("", 0)),
    ],
)
def test_the_maker_and_generation_of_the_cpu(monkeypatch, tmp_path, info, found):
    monkeypatch.setattr(devices, "CPU_INFO", tmp_path / "cpuinfo")
    if info is not None:
        (tmp_path / "cpuinfo").write_text(info)
    assert cpu() == found


CPU = torch.device("cpu")


@pytest.mark.parametrize(("fast", "expected"), [((True, True), "bfloat16"), ((True, False), "float32")])
def test_auto_is_bfloat16_where_all_devices_are_fast_in_it(fast, expected, monkeypatch, caplog):
    caplog.set_level(logging.INFO, devices.__name__)  # a command may have made it quiet
    answers = iter(fast)
    monkeypatch.setattr(devices, "fast_bfloat16", lambda device: next(answers))
    assert choose_dtype("auto", [CPU, CPU]) == expected
    assert ("computes in bfloat16" in caplog.text) == (expected == "bfloat16")


def test_the_requested_device_is_used(monkeypatch, caplog):
    caplog.set_level(logging.INFO, devices.__name__)  # a command may have made it quiet
    monkeypatch.setattr(devices, "fast_bfloat16", lambda device: True)
    assert [choose_dtype(name, [CPU]) for name in ("float32", "bfloat16")] == ["float32", "bfloat16"]
    assert not caplog.text
    with pytest.raises(XalignError, match=r"auto or float32 or bfloat16$"):
        choose_dtype("float16", [CPU])


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is another")
def test_freed_memory_is_kept_for_any_size():
    """Pages that the system provides while a separate process repeatedly takes, fills and frees 64 MB."""
    told = "import torch; from xalign_fairseq.core.devices import keep_freed_memory as keep; "
    told += 'assert keep(torch.device("cpu"))'
    assert faults(told) < 0.1 * faults("")


def faults(first: str) -> int:
    """Counted for ten repetitions after the first."""
    code = f"""
{first}
import ctypes, resource
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
def use():
    memory = libc.malloc(64 * 2**20)
    ctypes.memset(memory, 1, 64 * 2**20)
    libc.free(memory)
use()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    use()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
    return run(code)


def run(code: str) -> int:
    """The number that a program prints; it inherits no limit on cached products."""
    env = {name: value for name, value in os.environ.items() if name not in devices.CACHES}
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=env)
    return int(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(not fast_bfloat16(CPU), reason="a CPU without bfloat16 compiles nothing")
def test_compiled_products_do_not_pile_up():
    """Memory after products of 100 shapes in bfloat16: with 1,024 cached shapes, each adds 1.5 MB."""
    code = """
import torch
from xalign_fairseq.core.devices import keep_freed_memory
if {limited}:
    keep_freed_memory(torch.device("cpu"))
weight = torch.ones(1536, 384, dtype=torch.bfloat16)
def use(sizes):
    for size in sizes:
        torch.nn.functional.linear(torch.ones(size, 384, dtype=torch.bfloat16), weight)
    # Anonymous memory only: the kernel may free libraries' pages. A peak would include the parent's memory.
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("RssAnon"))
print(-use([2000, *range(404, 504, 2)]) + use(range(300, 400)))
"""
    limited, free = (run(code.format(limited=limited)) for limited in (True, False))
    assert limited < 0.5 * free


def test_memory_is_kept_only_on_the_cpu_and_by_known_c_libraries(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert not keep_freed_memory(CPU)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: pytest.fail("the C library was asked"))
    assert not keep_freed_memory(torch.device("cuda:0"))
