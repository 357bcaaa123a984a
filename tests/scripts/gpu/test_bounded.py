"""A command with a time limit, and the processes it leaves behind."""

import os
import time

import pytest
from support.processes import is_alive, wait_for


@pytest.fixture
def bounded(gpu_script, tmp_path, monkeypatch):
    """A function that runs a line of sh in a folder; its output goes to log."""
    module = gpu_script("bounded")
    monkeypatch.setattr(module, "GRACE", 0.5)
    return lambda line, seconds=20: module.run(["sh", "-c", line], tmp_path / "log", seconds, os.environ, tmp_path)


def test_the_exit_code_and_both_outputs(bounded, tmp_path):
    assert bounded("echo one; echo two >&2; exit 3") == 3
    assert (tmp_path / "log").read_text() == "one\ntwo\n"


def test_who_takes_too_long_is_ended_with_all_that_it_started(bounded, tmp_path):
    begin = time.monotonic()
    assert bounded("sleep 60 & echo $! > child; trap '' TERM; sleep 60", seconds=1.0) is None
    assert time.monotonic() - begin < 15
    wait_for(lambda: not is_alive(int((tmp_path / "child").read_text())))


def test_processes_left_by_a_command_are_ended(bounded, tmp_path):
    assert bounded("sleep 60 & echo $! > child") == 0
    wait_for(lambda: not is_alive(int((tmp_path / "child").read_text())))
