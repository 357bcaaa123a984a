"""The benchmark of all steps: which parts align after each, what is scored once, and the table."""

import json
import shutil
import sys
from pathlib import Path

import pytest
from support.tiny_checkpoint import tiny_checkpoint, tiny_spm, tiny_state, tiny_text  # noqa: F401

from xalign_fairseq.aligner.best import BestParts
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.pharaoh import parse_line


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
    assert list(best.steps_of(whole._replace(trained=None))) == ["start", "links"]


def test_a_finished_folder_is_scored_once(best, tiny_checkpoint, tiny_text, tmp_path, monkeypatch):  # noqa: F811
    text, folder = tmp_path / "text" / "en-xx", tmp_path / "work" / "1" / "en-xx" / "best"
    for made in (text, folder / "encoder"):
        made.mkdir(parents=True)
    for side in ("en", "xx"):
        shutil.copy(tiny_text / f"text.{side}", text / f"all.{side}")
    (tmp_path / "test.gold").write_text("\n".join((tiny_text / "text.gold").read_text().splitlines()[30:]) + "\n")
    (text / "sets.json").write_text(json.dumps({"test": {"begin": 30, "end": 40, "gold": str(tmp_path / "test.gold")}}))
    shutil.copy(tiny_checkpoint, folder / "encoder" / "checkpoint_last.pt")
    step = {"done": "", "cpu_seconds": 63.0, "before": None, "aer": None, "used": True}
    parts = {"encoder": str(tiny_checkpoint), "gold": "", "method": "grow", "trained": "encoder", "statistics": ""}
    (folder / "best.json").write_text(json.dumps({**parts, "steps": {"links": step}}))
    (tmp_path / "before").mkdir()
    (tmp_path / "before" / "en-xx.links").write_text("0-0\n" * 10)
    given = ["en-xx", "--work", str(tmp_path / "work"), "--out", str(tmp_path), "--before", str(tmp_path / "before")]
    monkeypatch.setattr(sys, "argv", ["benchmark_best.py", str(tmp_path / "text"), *given])
    best.main()
    table = (tmp_path / "best.md").read_text()
    results = json.loads((tmp_path / "best.json").read_text())
    found = results["measured"][0]["en-xx"]
    low, high = results["interval"]
    assert low <= found["aer"]["test"]["encoder"] / 100 <= high
    golds = [parse_line(line) for line in (tmp_path / "test.gold").read_text().splitlines()]
    before = 100 * score([{(0, 0)}] * 10, golds).aer
    test = results["difference"]["mean"]
    assert test["difference"] == pytest.approx(found["aer"]["test"]["encoder"] - before) and test["p_value"] > 0
    assert found["pairs"] == 40 and 0 < found["aer"]["test"]["start"] < 100
    value = f"{found['aer']['test']['encoder']:.1f}"
    assert f"| and self-training: AER | {value} | {value} |" in table
    assert "| and statistics: CPU seconds | 63 | 63 |" in table
    shutil.rmtree(folder / "encoder")
    best.main()
    assert (tmp_path / "best.md").read_text() == table
