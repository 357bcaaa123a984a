"""The stage that runs the GPU tests: its counts and its exit code."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts/gpu/run_tests.py"
CASES = {
    "passes": "@pytest.mark.gpu\ndef test_one():\n    pass\n\ndef test_other():\n    assert False\n",
    "fails": "@pytest.mark.gpu\ndef test_two():\n    assert 1 == 2\n",
    "skips": "@pytest.mark.gpu\n@pytest.mark.skipif(True, reason='no second GPU')\ndef test_three():\n    pass\n",
}


@pytest.fixture
def stage(tmp_path):
    """A function that runs the stage on some test files; returns the exit code and the written files."""
    (tmp_path / "source/tests").mkdir(parents=True)
    (tmp_path / "source/pyproject.toml").write_text("[tool.pytest.ini_options]\nmarkers = ['gpu: needs one']\n")

    def run(*names):
        for name in names:
            (tmp_path / f"source/tests/test_{name}.py").write_text(f"import pytest\n\n{CASES[name]}")
        (tmp_path / "source/tests/test_elsewhere.py").write_text("import what_the_kit_does_not_have\n")
        command = [sys.executable, "-P", str(SCRIPT), str(tmp_path / "source"), str(tmp_path), "60", "2"]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, json.loads((tmp_path / "tests.json").read_text())

    return run


def test_passed_failed_and_skipped_are_counted(stage):
    code, found = stage("passes", "fails", "skips")
    assert code == 1
    assert (found["passed"], found["failed"]) == (1, ["tests.test_fails.test_two"])
    assert found["skipped"] == ["tests.test_skips.test_three: no second GPU"]
    assert set(found["slowest"]) == {
        "tests.test_passes.test_one",
        "tests.test_fails.test_two",
        "tests.test_skips.test_three",
    }
