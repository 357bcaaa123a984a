"""scripts/torchrun.sh with stand-ins for torchrun and fairseq-train."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts/torchrun.sh"


@pytest.fixture
def start(tmp_path):
    """A function that runs the script with only these programs, which print their arguments."""

    def run(*programs):
        for name in programs:
            (tmp_path / name).write_text('#!/bin/bash\nprintf "%s\\n" "$@"\n')
            (tmp_path / name).chmod(0o755)
        line = [shutil.which("bash"), SCRIPT, "2", "data-bin", "--save-dir", "run"]
        env = {"PATH": str(tmp_path), "NODES": "1"}
        return subprocess.run(line, env={**os.environ, **env}, capture_output=True, text=True)

    return run


def test_torchrun_starts_fairseq_train(start, tmp_path):
    done = start("torchrun", "fairseq-train")
    given = ["--standalone", "--nproc-per-node", "2", str(tmp_path / "fairseq-train"), "data-bin", "--save-dir", "run"]
    assert done.stdout.splitlines()[:7] == given and done.returncode == 0
    assert "--distributed-world-size\n2\n" in done.stdout
