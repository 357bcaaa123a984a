import json
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.examples.recipes import load
from tests.examples.stand_ins import EXAMPLES, run_script
from xalign_fairseq.transfer.report import make_report
from xalign_fairseq.transfer.study import load_study
from xalign_fairseq.transfer.tables import to_markdown

STUDIES = Path(__file__).parents[3] / "examples/transfer"
slow = partial(pytest.param, marks=pytest.mark.slow)
BASELINES = {"": "none", "small": "none", "longer": "none", "mechanism": "none", "controls": "tlm"}


@pytest.mark.parametrize("study", sorted(STUDIES.rglob("studies/*.yaml")), ids=lambda path: path.stem)
def test_studies_are_read(study):
    assert load_study(study, data=STUDIES).tasks


@pytest.mark.parametrize("study", [*map(slow, sorted(BASELINES.keys() - {"small"})), "small"])
def test_the_report_is_that_of_its_runs(study):
    """Every kind of table: averages, the best, differences, English, gaps, F1 and EM, missing runs, signatures."""
    results = STUDIES / study / "results"
    assert (results / "report/report.md").read_text() == to_markdown(make_report(results, BASELINES[study]))


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


TELL = '#!/bin/sh\necho "$@"\n'


def test_models_come_from_the_first_seeds_and_existing_ones_are_kept(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models/so.pt").touch()
    done = run_script(
        tmp_path, "transfer/1_models.sh", tmp_path / "runs", tmp_path / "models", instead={"xalign": TELL}
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    model, out = tmp_path / "runs/so-grow-1/checkpoint_last.pt", tmp_path / "models/so-grow.pt"
    assert lines[0] == f"untrim --model {model} --original e5-small --out {out}" and not any(
        "/so.pt" in line for line in lines
    )
    compared = {run.name for run in (EXAMPLES / "transfer/results/runs").iterdir()}
    assert {line.split("/")[-1].removesuffix(".pt") for line in lines} | {"so", "none"} == compared
