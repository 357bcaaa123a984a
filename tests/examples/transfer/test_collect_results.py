"""Collects what the report needs, without the paths of a machine."""

import json
import sys

import numpy as np
import pytest

from tests.examples.recipes import load

[collect_results] = load("transfer", "collect_results")
COMMAND = (
    "fairseq-train /home/me/data/eval/ud --user-dir /usr/lib/x --init-checkpoint /tmp/model.pt --save-dir /tmp/run "
    "--files en=/home/me/data/eval/a.tsv,de=/home/me/data/bitext/b.tsv --lr 0.1"
)


@pytest.fixture
def results(tmp_path, monkeypatch):
    """The collected files of one finished run; another run has no result yet."""
    run = tmp_path / "out/runs/tlm/pos/1"
    for folder in (run, tmp_path / "out/runs/tlm/pos/2"):
        folder.mkdir(parents=True)
    (run / "result.json").write_text(json.dumps({"command": COMMAND, "seed": 1, "name": "é"}))
    np.savez_compressed(run / "counts.npz", **{"de/f1": np.arange(6).reshape(2, 3)})
    (run / "predictions.jsonl").touch()
    stale = tmp_path / "results/runs/old/result.json"
    stale.parent.mkdir(parents=True)
    stale.touch()
    monkeypatch.setattr(sys, "argv", ["collect_results.py", *map(str, (tmp_path / "out", tmp_path / "results"))])
    collect_results.main()
    return tmp_path / "results"


def test_runs_are_replaced_by_their_results_and_counts(results, capsys):
    assert sorted(str(path.relative_to(results)) for path in results.rglob("*") if path.is_file()) == [
        "runs/tlm/pos/1/counts.npz",
        "runs/tlm/pos/1/result.json",
    ]
    found = json.loads((results / "runs/tlm/pos/1/result.json").read_text())
    assert found == {
        "command": "fairseq-train DATA/eval/ud --user-dir USER_DIR --init-checkpoint CHECKPOINT --save-dir RUN "
        "--files en=DATA/eval/a.tsv,de=DATA/bitext/b.tsv --lr 0.1",
        "seed": 1,
        "name": "é",
    }
    with np.load(results / "runs/tlm/pos/1/counts.npz") as counts:
        assert counts["de/f1"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_runs_of_another_machine_are_kept_with_new_ones(results, monkeypatch):
    """New runs replace runs of the same name."""
    other, shared = (results / f"runs/tlm/pos/{seed}/result.json" for seed in (7, 1))
    other.parent.mkdir()
    other.write_text("{}")
    shared.write_text("{}")
    monkeypatch.setattr(sys, "argv", ["collect_results.py", *map(str, (results.parent / "out", results, "--add"))])
    collect_results.main()
    assert json.loads(other.read_text()) == {} and json.loads(shared.read_text())["name"] == "é"


def test_seeds_of_a_checkpoint_may_have_encoders_of_their_own(results, monkeypatch):
    """The report compares runs with equal digests."""
    path = results.parent / "out/runs/tlm/pos/1/result.json"
    path.write_text(json.dumps({"command": COMMAND, "made_by": {"checkpoint_digest": "c0", "holdout": 0.1}}))
    arguments = map(str, (results.parent / "out", results, "--reseeded"))
    monkeypatch.setattr(sys, "argv", ["collect_results.py", *arguments])
    collect_results.main()
    made_by = json.loads((results / "runs/tlm/pos/1/result.json").read_text())["made_by"]
    assert made_by == {"checkpoint_digest": "one for each seed", "holdout": 0.1}
