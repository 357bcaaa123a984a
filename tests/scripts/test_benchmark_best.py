"""The benchmark of all steps: which parts align after each, what is scored once, and the table."""

import json
import shutil
import sys
from pathlib import Path

import pytest
from support.tiny_checkpoint import tiny_checkpoint, tiny_spm, tiny_state, tiny_text  # noqa: F401

from xalign_fairseq.aligner.best import BestParts


@pytest.fixture
def best(script):
    return script("benchmark_best")


def test_each_step_adds_its_parts(best):
    whole = BestParts("e5-small", "scored", "encoder", statistics=Path("statistics"))
    assert best.steps_of(whole) == {
        "start": BestParts("e5-small", "scored"),
        "links": BestParts("e5-small", "scored", statistics=Path("statistics")),
        "encoder": whole,
    }


def test_a_finished_folder_is_scored_once(best, tiny_checkpoint, tiny_text, tmp_path, monkeypatch):  # noqa: F811
    text, folder = tmp_path / "text" / "en-xx", tmp_path / "work" / "en-xx" / "best"
    for made in (text, folder / "encoder"):
        made.mkdir(parents=True)
    for side in ("en", "xx"):
        shutil.copy(tiny_text / f"text.{side}", text / f"all.{side}")
    (tmp_path / "test.gold").write_text("\n".join((tiny_text / "text.gold").read_text().splitlines()[30:]) + "\n")
    (text / "sets.json").write_text(json.dumps({"test": {"begin": 30, "end": 40, "gold": str(tmp_path / "test.gold")}}))
    shutil.copy(tiny_checkpoint, folder / "encoder" / "checkpoint_last.pt")
    step = {"done": "", "cpu_seconds": 63.0, "before": None, "aer": None, "used": True}
    parts = {"encoder": str(tiny_checkpoint), "method": "grow", "trained": "encoder", "scorer": "", "statistics": ""}
    (folder / "best.json").write_text(json.dumps({**parts, "steps": {"links": step}}))
    given = ["en-xx", "--work", str(tmp_path / "work"), "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["benchmark_best.py", str(tmp_path / "text"), *given])
    best.main()
    table = (tmp_path / "best.md").read_text()
    found = json.loads((tmp_path / "best.json").read_text())["measured"]["en-xx"]
    assert found["pairs"] == 40 and 0 < found["aer"]["test"]["start"] < 100
    value = f"{found['aer']['test']['encoder']:.1f}"
    assert f"| and self-training: AER | {value} | {value} |" in table
    assert "| and statistics: CPU seconds | 63 | 63 |" in table
    shutil.rmtree(folder / "encoder")
    best.main()
    assert (tmp_path / "best.md").read_text() == table
