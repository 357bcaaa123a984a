"""Results, tests of differences, and pages, from made-up runs."""

import json

import pytest

from tests.examples.xlm_align.continued.made_up import counts_of, report, study, train
from xalign_fairseq.core.json_files import read_json


@pytest.fixture
def finished(made_up, tmp_path):
    """The folder of finished runs: plain e5-small, two seeds of self-training, one with another option."""
    run, _, at = made_up
    runs = run.folder.parent
    for name, setting, seed, updates, change in (
        ("none-1", "none", 1, 0, {}),
        ("so-1", "so", 1, 5, {}),
        ("so-2", "so", 2, 5, {}),
        ("so,lr=1e-5-1", "so", 1, 5, {"--lr": "1e-5"}),
    ):
        at["updates"] = 0
        (runs / name).mkdir(exist_ok=True)
        options = {
            **study.COMMON,
            **study.SETTINGS[setting],
            **change,
            "--max-update": str(updates),
            "--seed": str(seed),
        }
        train.Run(runs / name, tmp_path, tmp_path, 2, options, setting, seed).go_on()
    return runs


@pytest.fixture
def five_updates(monkeypatch):
    monkeypatch.setattr(study, "COMMON", {**study.COMMON, "--max-update": "5"})


def page(folder):
    for name, marks in (("README.md", ["objectives"]), ("details.md", ["ablations", "runs"])):
        blocks = "\n".join(f"before\n<!-- study:{mark} -->\nold\n<!-- end -->\nafter" for mark in marks)
        (folder / name).write_text(blocks + "\n")


def test_tables_have_all_runs_and_unchanged_settings(five_updates, finished, tmp_path):
    for name, hits in (("none-1", 2), ("so-1", 3), ("so-2", 4)):
        found = {"chosen": "argmax-separate-6", "test": {"mean": 100.0 - 25 * hits}, "counts": counts_of(hits)}
        (finished / name / "test.json").write_text(json.dumps(found))
    page(tmp_path)
    for _ in range(2):
        report.main(finished, tmp_path)
    readme, runs = (tmp_path / "README.md").read_text(), (tmp_path / "details.md").read_text()
    assert readme.startswith("before\n") and readme.endswith("<!-- end -->\nafter\n") and "old" not in readme + runs
    so, none = (
        next(line.split(" | ") for line in readme.splitlines() if line.startswith(f"| {name} |"))
        for name in ("so", "none")
    )
    assert so[1:7] == ["self_training", "2", "0.5", "20.95 ± 0.00", "20.45 ± 0.00", "12.50 ± 17.68"]
    assert so[7].startswith("−37.5 (")
    assert none[1:7] == ["", "", "0.0", "21.00", "20.50", "50.00"]
    assert "lr=1e-5" not in readme
    assert "| so,lr=1e-5-1 | 5 of 5 | 0.00M | 0 | 0: 21.00, 2: 20.98, 4: 20.96, 5: 20.95 |" in runs.replace("---:", "")
    assert read_json(tmp_path / "results/so-1.json")["command"] == "train.py DATA_BIN GOLD RUNS so 1"
    assert read_json(tmp_path / "results/so,lr=1e-5-1.json")["command"].endswith("so 1 -- --lr 1e-5")
    assert "counts" not in read_json(tmp_path / "results/so-1.json")["test"]
    assert (tmp_path / "results/objectives.svg").stat().st_size
