"""The functions that all benchmarks use."""

import subprocess
import sys


def test_the_most_memory_is_the_process_s_own(script):
    module = script("harness")
    here = module.peak_mb()
    code = "import sys; sys.path.insert(0, sys.argv[1]); import harness as m; "
    code += "a = m.peak_mb(); x = bytearray(64 * 2**20); print(a, m.peak_mb())"
    folder = module.__file__.rpartition("/")[0]
    done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True)
    small, large = map(float, done.stdout.split())
    assert 1 < small < large - 60 < small + 100  # this process, with all its tests, has more
    assert here > small
