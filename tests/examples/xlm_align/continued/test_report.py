"""Results, tests of differences, and pages, from made-up runs."""

import json

import numpy as np
import pytest

from tests.examples.xlm_align.continued.made_up import counts_of, record, report, study, tables, train
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


def test_differences_are_means_over_test_sets_and_seeds():
    counts = {
        name: [{pair: np.array(part, float) for pair, part in counts_of(hits).items()} for hits in found]
        for name, found in (("none", [2]), ("so", [4, 4]), ("dwa", [2]))
    }
    found = report.tests_of(counts, {})["none"]
    assert found["so"]["difference"] == pytest.approx(-0.5) and found["so"]["seeds"] == 2
    assert found["so"]["p_holm"] < 0.05
    assert found["dwa"]["difference"] == 0 and found["dwa"]["p_holm"] == 1


def test_settings_without_counts_keep_their_tests():
    """Results of runs on another machine stay: p is corrected over them, too."""
    counts = {
        name: [{pair: np.array(part) for pair, part in counts_of(hits).items()}]
        for name, hits in (("none", 2), ("so", 4))
    }
    old = {"seeds": 1, "difference": -0.1, "p_value": 0.03, "p_holm": 0.03}
    found = report.tests_of(counts, {"none": {"dwa": old, "so": {**old, "difference": 0.0}}})
    assert found["none"]["dwa"] == old and found["none"]["so"]["difference"] == pytest.approx(-0.5)
    assert found["none"]["so"]["p_holm"] == 2 * found["none"]["so"]["p_value"]
    assert "tlm" not in found


def test_counts_are_of_settings_all_of_whose_runs_have_them(tmp_path):
    records = {
        name: [{"seed": seed, "test": {} if name == "weak" else {"test": 1}} for seed in (1, 2)]
        for name in ("so", "dwa", "weak")
    }
    (tmp_path / "counts").mkdir()
    for name in ("so-1", "so-2", "dwa-1", "weak-1", "weak-2"):
        np.savez(tmp_path / f"counts/{name}.npz", **{"a/de-en": np.full((3, 4), len(name))})
    found = report.counts_of(records, tmp_path)
    assert list(found) == ["so"] and found["so"][1]["a/de-en"].tolist() == [[4] * 4] * 3


def test_counts_are_found_for_any_order_of_options(tmp_path):
    """The folder has the options as given, the record as in the study."""
    made = record("dwa", 1, 20.0, {"--dwa-method": "ot-unbalanced", "--dwa-filter": "itermax"})
    run = tmp_path / "runs/dwa,dwa-method=ot-unbalanced,dwa-filter=itermax-1"
    run.mkdir(parents=True)
    (run / "run.json").write_text(json.dumps(made))
    (run / "dev.jsonl").write_text(json.dumps(made["development"][0]) + "\n")
    (run / "test.json").write_text(json.dumps({**made["test"], "counts": counts_of(3)}))
    report.collect(tmp_path / "runs", tmp_path / "results")
    kept = {path.stem: read_json(path) for path in (tmp_path / "results").glob("*.json")}
    [found] = report.counts_of(tables.groups_of(kept), tmp_path / "results").values()
    assert found[0][study.TEST[0]].tolist() == counts_of(3)[study.TEST[0]]
