"""Kills at each file operation: of a program that can run again, and of one that cannot."""

import sys

import numpy as np
import pytest
import torch

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
STARTS = """
import pathlib, sys
from xalign_fairseq.core.process import heard
out = pathlib.Path(sys.argv[1])
code = f"import pathlib; pathlib.Path({str(out / 'theirs')!r}).write_text('x'); print('said')"
with heard([sys.executable, "-c", code], out.parent / "log") as (process, lines):
    found = list(lines)
    assert process.wait() == 0 and found == ["said\\n"], found
(out / "ours").write_text("x")
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


def test_child_processes_count_and_die_with_the_command(killed):
    each, kills = killed(STARTS)
    assert each.expected()["operations"] == ["open theirs", "open ours"]
    assert len(kills) == 2 and not any(kill.refused or kill.differs for kill in kills)


def test_digests_tell_every_bit_apart(script):
    digest = script("faults_runs").digest
    state = {"a": torch.ones(2, 2), "b": [1, {"c": torch.zeros(3, dtype=torch.bfloat16)}], "d": np.arange(3)}
    assert digest(state) == digest({key: state[key] for key in reversed(state)})
    others = [
        {**state, "a": torch.ones(4)},
        {**state, "d": np.arange(3.0)},
        {**state, "b": [1, {"c": torch.zeros(3)}]},
        {**state, "a": torch.ones(2, 2).nextafter(torch.zeros(()))},
        {**state, "e": None},
    ]
    assert len({digest(each) for each in (state, *others)}) == 6
