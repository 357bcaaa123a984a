"""Kills at each file operation: of a program that can run again, and of one that cannot."""

import sys

import pytest

GOOD = """
import os, pathlib, sys
out = pathlib.Path(sys.argv[1])
for old in out.glob("*.tmp"):
    old.unlink()
for name in "ab":
    if not (out / name).exists():
        (out / (name + ".tmp")).write_text("half")
        (out / (name + ".tmp")).write_text("whole")
        os.replace(out / (name + ".tmp"), out / name)
"""


@pytest.fixture
def killed(script, tmp_path):
    """A function that makes all kills of a program."""
    runs, operations = script("faults_runs"), script("faults_operations")

    def make(program):
        (tmp_path / "program.py").write_text(program)
        command = lambda out: [sys.executable, str(tmp_path / "program.py"), str(out)]  # noqa: E731
        each = operations.Killed(runs.Run("program", command), tmp_path)
        return each, [each.kill(number) for number in each.order()]

    return make


def test_a_program_that_can_be_given_again_at_any_point(killed):
    each, kills = killed(GOOD)
    expected = each.expected()
    steps = ("open {0}.tmp", "open {0}.tmp", "rename {0}.tmp {0}")
    assert expected["operations"] == [step.format(name) for name in "ab" for step in steps]
    assert expected["files"] == ["a", "b"] and len(kills) == 6
    assert sorted(kill.operation for kill in kills) == sorted(expected["operations"])
    assert not any(kill.refused or kill.differs or kill.left for kill in kills)
