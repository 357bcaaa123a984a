"""The benchmark of aligners from bitext alone, on a made-up text."""

import json
from pathlib import Path

import pytest
from support.links import DIAGONAL, only_tools
from support.text import write_bitext

from xalign_fairseq.aligner.statistical.units import NAMES


@pytest.fixture
def benchmark(script):
    return script("benchmark_from_scratch")


@pytest.fixture
def text(tmp_path):
    """A text of 48 pairs, the last four of which are the test set."""
    folder = tmp_path / "text/de-en"
    folder.mkdir(parents=True)
    for path, side in zip(write_bitext(folder), ("de", "en"), strict=True):
        Path(path).rename(folder / f"all.{side}")
    gold = tmp_path / "test.gold"
    gold.write_text("0-0 1-1 2-2 3p3\n" * 4)
    (folder / "sets.json").write_text(json.dumps({"test": {"begin": 44, "end": 48, "gold": str(gold)}}))
    return folder.parent


def test_text_sets_and_tools_become_a_table(benchmark, text, tmp_path, monkeypatch):
    only_tools(monkeypatch, tmp_path / "bin", fast_align=DIAGONAL)
    monkeypatch.setattr(benchmark, "PEER", "fast_align")
    arguments = [str(text), "de-en", "--work", str(tmp_path / "work"), "--out", str(tmp_path)]
    benchmark.main([*arguments, "--limit", "40"])
    [(key, record)] = json.loads((tmp_path / "from_scratch.json").read_text()).items()
    assert (key, record["pairs"]) == ("de-en 40 1", 44)
    found = record["sets"]["test"]
    assert found["systems"]["xalign"]["aer"] == 0
    assert found["systems"]["fast_align"]["recall"] == 1
    assert found["test"]["difference"] == 0
    assert "| de-en | 44 | 1 | 0.0 |" in (tmp_path / "from_scratch_sizes.md").read_text()
    assert "| de-en | test | 44 | 0.0 |" in (tmp_path / "from_scratch.md").read_text()
    benchmark.main(arguments)
    first = json.loads((tmp_path / "from_scratch.json").read_text())
    assert "| de-en | test | 48 | 0.0 |" in (tmp_path / "from_scratch.md").read_text()
    assert "| 44 |" not in (tmp_path / "from_scratch.md").read_text()
    assert "| mean | test |  | 0.0 |" in (tmp_path / "from_scratch.md").read_text()
    # Learned models, results and their cost are kept.
    only_tools(monkeypatch, tmp_path / "broken", fast_align="raise SystemExit(1)")
    benchmark.main(arguments)
    second = json.loads((tmp_path / "from_scratch.json").read_text())
    assert second["de-en"]["sets"] == first["de-en"]["sets"]
    assert second["de-en"]["cpu_minutes"]["fast_align"] == first["de-en"]["cpu_minutes"]["fast_align"] > 0
    learned = json.loads((tmp_path / "work" / "de-en" / "cpu.json").read_text())
    assert all(f"xalign {name}" in learned for name in NAMES)
