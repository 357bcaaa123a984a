"""Python without fairseq and what comes with it: importing any of them raises, as where they are not installed."""

import subprocess
import sys

BLOCK = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("fairseq", "fairseq_cli", "hydra", "omegaconf"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
"""


def run_without_fairseq(code, *arguments, cwd=None):
    """The output of Python code where fairseq is missing; AssertionError with its errors if it fails."""
    command = [sys.executable, "-c", BLOCK + code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout
