import json


def test_folders_and_pairs_are_measured_in_processes_of_their_own(script, tmp_path, monkeypatch):
    benchmark = script("benchmark_opening")
    monkeypatch.setattr(benchmark, "EACH", 700)
    monkeypatch.setattr(benchmark, "SYMBOLS", 20)
    given = ["--folders", "1", "3", "--pairs", "1500", "--work", str(tmp_path), "--out", str(tmp_path)]
    monkeypatch.setattr("sys.argv", ["benchmark_opening.py", *given])
    benchmark.main()
    rows = json.loads((tmp_path / "opening.json").read_text())["rows"]
    assert [(row["folders"], row["pairs"]) for row in rows] == [(1, 700), (3, 2100), (1, 1500)]
    assert all(row["open_seconds"] < row["first_batch_seconds"] and row["worker_mb"] > 0 for row in rows)
    assert "| 3 | 2,100 |" in (tmp_path / "opening.md").read_text()
