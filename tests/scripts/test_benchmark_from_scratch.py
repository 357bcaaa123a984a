"""The benchmark of aligners from bitext alone, on a made-up text."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest
from support.links import DIAGONAL, only_tools
from support.text import write_bitext

from xalign_fairseq.aligner.statistical.models import NAMES

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    spec = importlib.util.spec_from_file_location("benchmark_from_scratch", SCRIPTS / "benchmark_from_scratch.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def test_text_sets_and_tools_become_a_table(benchmark, tmp_path, monkeypatch):
    only_tools(monkeypatch, tmp_path / "bin", fast_align=DIAGONAL)
    text = tmp_path / "text" / "de-en"
    text.mkdir(parents=True)
    src, tgt = write_bitext(text)
    Path(src).rename(text / "all.de")
    Path(tgt).rename(text / "all.en")
    gold = tmp_path / "test.gold"
    gold.write_text("0-0 1-1 2-2 3p3\n" * 4)
    (text / "sets.json").write_text(json.dumps({"test": {"begin": 44, "end": 48, "gold": str(gold)}}))
    monkeypatch.setattr(benchmark, "PEER", "fast_align")
    arguments = [str(tmp_path / "text"), "de-en", "--work", str(tmp_path / "work"), "--out", str(tmp_path)]
    benchmark.main([*arguments, "--limit", "40"])
    [(key, record)] = json.loads((tmp_path / "from_scratch.json").read_text()).items()
    assert (key, record["pairs"]) == ("de-en 40 1", 44)
    found = record["sets"]["test"]
    assert found["systems"]["xalign"]["aer"] == 0
    assert found["systems"]["fast_align"]["recall"] == 1
    assert found["test"]["difference"] == 0
    assert [at for at, *_ in found["curve"]] == list(benchmark.CURVE)
    assert "| de-en | 44 | 1 | 0.0 |" in (tmp_path / "from_scratch_sizes.md").read_text()
    assert "| de-en | test | 44 | 0.0 |" in (tmp_path / "from_scratch.md").read_text()
    benchmark.main(arguments)
    first = json.loads((tmp_path / "from_scratch.json").read_text())
    assert "| de-en | test | 48 | 0.0 |" in (tmp_path / "from_scratch.md").read_text()
    assert "| 44 |" not in (tmp_path / "from_scratch.md").read_text()
    assert "| mean | test |  | 0.0 |" in (tmp_path / "from_scratch.md").read_text()
    assert (tmp_path / "from_scratch.png").stat().st_size > 0
    # What was learned and found is kept, and what it cost.
    only_tools(monkeypatch, tmp_path / "broken", fast_align="raise SystemExit(1)")
    benchmark.main(arguments)
    second = json.loads((tmp_path / "from_scratch.json").read_text())
    assert second["de-en"]["sets"] == first["de-en"]["sets"]
    assert second["de-en"]["cpu_minutes"]["fast_align"] == first["de-en"]["cpu_minutes"]["fast_align"] > 0
    learned = json.loads((tmp_path / "work" / "de-en" / "cpu.json").read_text())
    assert all(f"xalign {name}" in learned for name in NAMES)


def test_the_cost_of_whole_commands(benchmark, tmp_path, monkeypatch):
    only_tools(monkeypatch, tmp_path / "bin", fast_align=DIAGONAL)
    text = tmp_path / "text" / "de-en"
    text.mkdir(parents=True)
    src, tgt = write_bitext(text)
    Path(src).rename(text / "all.de")
    Path(tgt).rename(text / "all.en")
    (text / "sets.json").write_text(json.dumps({"test": {"begin": 44, "end": 48, "gold": src}}))
    monkeypatch.setattr(benchmark, "read_gold", lambda path: [])
    benchmark.main([str(tmp_path / "text"), "de-en", "--out", str(tmp_path), "--cost", "1"])
    found = json.loads((tmp_path / "from_scratch_cost.json").read_text())["texts"]["de-en"]
    assert found["pairs"] == 48 and list(found["seconds"]) == ["xalign", "fast_align"]
    assert all(len(each) == 1 and each[0] > 0 for each in found["seconds"].values())
    assert "| de-en | 48 |" in (tmp_path / "from_scratch_cost.md").read_text()
