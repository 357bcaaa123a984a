"""The benchmark of prepare: both contestants read the same pairs, and the table has medians."""

import pytest

from xalign_fairseq.core.json_files import read_json


@pytest.fixture
def benchmark(script):
    return script("benchmark_prepare")


def test_the_table_has_medians_over_rounds_on_the_first_pairs(benchmark, monkeypatch, tmp_path):
    seen, clock = [], iter([0.0, 2.0, 2.0, 12.0, 12.0, 16.0, 16.0, 24.0, 24.0, 27.0, 27.0, 33.0])
    for name in ("ours", "theirs"):
        monkeypatch.setattr(benchmark, name, lambda work, spm, dictionary: seen.append((work / "text.yy").read_text()))
    monkeypatch.setattr(benchmark, "children_seconds", lambda: next(clock))
    for name in ("src", "tgt"):
        (tmp_path / name).write_text(f"{name}\n" * 9)
    given = ["--src", tmp_path / "src", "--tgt", tmp_path / "tgt", "--spm", "m", "--dict", "d", "--pairs", 6]
    benchmark.main([*map(str, given), "--rounds", "3", "--out", str(tmp_path)])
    assert seen == ["tgt\n" * 6] * 6
    found = read_json(tmp_path / "prepare.json")["cpu_seconds"]
    assert found == {benchmark.OURS: [2.0, 4.0, 3.0], benchmark.THEIRS: [10.0, 8.0, 6.0]}
    text = (tmp_path / "prepare.md").read_text()
    assert f"| {benchmark.OURS} | 3.00 | 2 |" in text and f"| {benchmark.THEIRS} | 8.00 | 1 |" in text
