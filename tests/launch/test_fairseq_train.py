import subprocess
from pathlib import Path

from xalign_fairseq.launch.fairseq_train import FAIRSEQ_TRAIN, USER_DIR, flags


def test_flags_are_what_a_command_line_has():
    options = {"--cpu": True, "--fp16": False, "--patience": None, "--lr": 0.5, "--out": Path("a b"), "--zero": 0}
    assert flags(options) == ["--cpu", "--lr", "0.5", "--out", "a b", "--zero", "0"]
    assert flags({"--objectives": ("dwa", "tlm"), "--files": ["a=b"]}) == ["--objectives", "dwa,tlm", "--files", "a=b"]


def test_the_command_is_fairseq_train_with_this_package():
    line = [*FAIRSEQ_TRAIN, "--user-dir", USER_DIR, "--task", "nothing"]
    done = subprocess.run(line, capture_output=True, text=True)
    assert "invalid choice: 'nothing' (choose from" in done.stderr and "'xalign_pretraining'" in done.stderr
