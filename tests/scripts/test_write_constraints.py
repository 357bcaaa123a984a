"""scripts/write_constraints.sh with a stand-in for pip."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts/write_constraints.sh"


@pytest.fixture
def write(tmp_path):
    """A function that runs a copy of the script where ``python`` is a line of bash."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPT, tmp_path / "scripts")
    (tmp_path / "constraints.txt").write_text("torch==2.0\n")
    python = tmp_path / "bin/python"
    python.parent.mkdir()

    def run(line):
        python.write_text(f"#!/bin/bash\n{line}\n")
        python.chmod(0o755)
        env = {**os.environ, "PATH": f"{python.parent}:{os.environ['PATH']}"}
        done = subprocess.run(["bash", tmp_path / "scripts" / SCRIPT.name], env=env, cwd=tmp_path)
        return done.returncode, (tmp_path / "constraints.txt").read_text().splitlines()

    return run


def test_versions_are_written_without_the_name_of_a_build(write, tmp_path):
    code, lines = write("echo torch==2.13.0+cpu; echo numpy==2.1")
    assert code == 0 and [line for line in lines if line[0] != "#"] == ["torch==2.13.0", "numpy==2.1"]
    assert {path.name for path in tmp_path.iterdir()} == {"bin", "constraints.txt", "scripts"}
