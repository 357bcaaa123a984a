"""training.json, once for each time that a run began."""

import json

import pytest

from xalign_fairseq.launch import train_record
from xalign_fairseq.version import __version__


def test_sessions_stand_behind_each_other(tmp_path):
    with train_record.session(tmp_path, ["a:b", "--cpu", "--save-dir", "my run"]) as ended:
        [session] = json.loads((tmp_path / "training.json").read_text())["sessions"]
        assert session["ended"] is None and session["exit"] is None  # as a killed process leaves it
        ended.code = 1
    assert session["command"] == "fairseq-train a:b --cpu --save-dir 'my run'"
    assert session["versions"]["xalign_fairseq"] in (__version__, "") and "torch" in session["versions"]
    assert "CPU" in session["machine"]
    with pytest.raises(KeyboardInterrupt), train_record.session(tmp_path, ["a:b", "--cpu"]):
        raise KeyboardInterrupt
    found = json.loads((tmp_path / "training.json").read_text())
    assert [each["exit"] for each in found["sessions"]] == [1, None]
    assert all(each["begun"] <= each["ended"] for each in found["sessions"])
    assert [path.rpartition("/")[2] for path in found["data"]] == ["a", "b"] and found["data"][0].startswith("/")
