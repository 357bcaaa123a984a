"""Memory of the fused operator, in a process of its own: what other tests have freed would be there to be used."""

import subprocess
import sys
from pathlib import Path

import pytest

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
def test_a_long_pairs_memory_is_given_back_and_too_little_is_an_error_and_no_end():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    kept, error, same = done.stdout.splitlines()
    assert int(kept) < 2 * 3000**2  # the matrix has 4 n^2 bytes
    assert "do not fit" in error and same == "True"
