"""Memory of the fused operator, in processes of their own: what other tests have freed would be there to be used."""

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

few = pair(20)
with backend.using("cpu"):
    expected = Transport().labels(*few)
"""
MAPPED, RESIDENT = 0, 1  # fields of MEMORY
pytestmark = pytest.mark.skipif(not MEMORY.exists(), reason="no /proc")


def test_memory_of_an_uncommonly_long_pair_is_given_back():
    n = 3000
    kept = told(f"""
    before = taken({RESIDENT})
    Transport().labels(*pair({n}))
    print(taken({RESIDENT}) - before)
""")
    assert int(kept) < 2 * n * n  # the matrix has 4 n^2 bytes


def test_too_little_memory_is_an_error_and_no_end():
    n = 10000
    lines = told(f"""
    long = pair({n})
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (taken({MAPPED}) + {2 * n * n}, most))  # the matrix has 4 n^2 bytes
    try:
        Transport().labels(*long)
    except MemoryError as error:
        print(error)
    print(torch.equal(Transport().labels(*few), expected))
""").splitlines()
    assert "do not fit" in lines[0]
    assert lines[1] == "True"


def told(code: str) -> str:
    """What the code prints, with the names of :data:`PROGRAM`."""
    done = subprocess.run([sys.executable, "-c", PROGRAM + code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
