"""run.json says what was run, from which commit and on which machine."""

import json
import platform
import sys
from pathlib import Path

import pytest

from tests.examples.recipes import load
from xalign_fairseq.trainer.train_record import commit

[record_run] = load("common", "record_run")


@pytest.fixture
def record(tmp_path, monkeypatch):
    """What is written for a call; nvidia-smi is a stand-in."""
    program = tmp_path / "bin/nvidia-smi"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho Fast GPU\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")

    def run(device, names, *command):
        monkeypatch.setattr(sys, "argv", ["record_run.py", str(tmp_path), "weam", "7", device, names, *command])
        record_run.main()
        return json.loads((tmp_path / "run.json").read_text())

    return run


def test_variables_that_are_set_stand_before_the_command(record, monkeypatch):
    monkeypatch.setenv("LR", "1e-4")
    monkeypatch.setenv("DEVICE", "--bf16 --ddp x")
    monkeypatch.setenv("QUEUE", "")
    monkeypatch.delenv("ARCH", raising=False)
    found = record("--bf16", "ARCH LR QUEUE DEVICE", "1_train.sh", "DATA_BIN", "--betas", "(0.9, 0.98)", "é")
    assert found["command"] == "LR=1e-4 DEVICE='--bf16 --ddp x' bash 1_train.sh DATA_BIN --betas '(0.9, 0.98)' 'é'"
    assert (found["setting"], found["seed"], found["machine"]) == ("weam", 7, "Fast GPU")


def test_the_commit_is_that_of_the_recipes(record, monkeypatch):
    assert record("", "", "2_train.sh")["commit"] == (commit(Path(__file__)) or "unknown")  # of the same checkout
    monkeypatch.setenv("PATH", "")
    assert record("", "", "2_train.sh")["commit"] == "unknown"


@pytest.mark.parametrize(("device", "options"), [("--cpu", ()), ("", ("--cpu",)), ("--fp16 --cpu", ())])
def test_a_run_on_the_cpu_is_none_of_the_gpu(record, device, options):
    assert record(device, "", "2_train.sh", *options)["machine"] == f"{platform.machine()} CPU"
