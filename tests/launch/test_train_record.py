"""training.json, once for each time that a run began."""

import json

from xalign_fairseq.launch import train_record
from xalign_fairseq.version import __version__


def test_sessions_stand_behind_each_other(tmp_path):
    record = train_record.begin(tmp_path, ["a:b", "--cpu", "--save-dir", "my run"])
    [session] = json.loads((tmp_path / "training.json").read_text())["sessions"]
    assert session["command"] == "fairseq-train a:b --cpu --save-dir 'my run'"
    assert session["ended"] is None and session["exit"] is None  # as a killed process leaves it
    assert session["versions"]["xalign_fairseq"] in (__version__, "") and "torch" in session["versions"]
    assert "CPU" in session["machine"]
    train_record.end(tmp_path, record, 1)
    train_record.end(tmp_path, train_record.begin(tmp_path, ["a:b", "--cpu"]), 0)
    found = json.loads((tmp_path / "training.json").read_text())
    assert [each["exit"] for each in found["sessions"]] == [1, 0]
    assert found["sessions"][0]["begun"] <= found["sessions"][0]["ended"]
    assert [path.rpartition("/")[2] for path in found["data"]] == ["a", "b"] and found["data"][0].startswith("/")
