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
