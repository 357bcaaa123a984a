"""The most memory of a process: its own, whatever started it."""

import subprocess
import sys


def test_it_is_the_process_s_own(script):
    module = script("peak_memory")
    here = module.peak_mb()
    code = "import sys; sys.path.insert(0, sys.argv[1]); import peak_memory as m; "
    code += "a = m.peak_mb(); x = bytearray(64 * 2**20); print(a, m.peak_mb())"
    folder = module.__file__.rpartition("/")[0]
    done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True)
    small, large = map(float, done.stdout.split())
    assert 1 < small < 60 < large < small + 100  # this process, with all its tests, has more
    assert here > small
