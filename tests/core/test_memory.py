"""Memory that is freed and taken again."""

import ctypes
import platform
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch

from xalign_fairseq.core.memory import keep_freed_memory

CPU = torch.device("cpu")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is another")
def test_what_is_freed_is_not_given_back_however_large_it_is():
    """Pages that the system hands out while 64 MB are taken, filled and freed again, in a process of its own."""
    told = "import torch; from xalign_fairseq.core.memory import keep_freed_memory as keep; "
    told += 'assert keep(torch.device("cpu"))'
    assert faults(told) < 0.1 * faults("")


def faults(first: str) -> int:
    """Of ten times after the first one."""
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
    """The number that a program prints."""
    return int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def test_compiled_products_do_not_pile_up():
    """Memory after products of 300 shapes in bfloat16: with 1,024 kept it grows by 1.5 MB for each."""
    code = """
import resource, torch
from xalign_fairseq.core.memory import keep_freed_memory
if {limited}:
    keep_freed_memory(torch.device("cpu"))
weight = torch.ones(1536, 384, dtype=torch.bfloat16)
def use(sizes):
    for size in sizes:
        torch.nn.functional.linear(torch.ones(size, 384, dtype=torch.bfloat16), weight)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(-use([2000, *range(1, 400, 2)]) + use(range(2, 600, 2)))
"""
    limited, free = (run(code.format(limited=limited)) for limited in (True, False))
    assert limited < 0.5 * free or free < 30_000  # a CPU without bfloat16 compiles nothing


@pytest.mark.parametrize("answers", [{-4: 1, -1: 1}, {-4: 0, -1: 1}, {-4: 1, -1: 0}])
def test_it_says_whether_the_c_library_took_all(monkeypatch, answers):
    asked = []
    library = SimpleNamespace(mallopt=lambda option, value: asked.append((option, value)) or answers[option])
    monkeypatch.setattr(ctypes, "CDLL", lambda name: library)
    assert keep_freed_memory(CPU) == all(answers.values())
    assert asked == [(-4, 0), (-1, 2**31 - 1)]  # malloc.h: M_MMAP_MAX, M_TRIM_THRESHOLD


def test_other_c_libraries_are_left_alone(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert not keep_freed_memory(CPU)


def test_memory_is_kept_on_the_cpu_alone(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: pytest.fail("the C library was asked"))
    assert not keep_freed_memory(torch.device("cuda:0"))
