"""The result of a run: what is read, what is refused, and its counts."""

import json

import numpy as np
import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transfer.benchmarks import BENCHMARKS
from xalign_fairseq.transfer.results import RunResult, both, brief, differing
from xalign_fairseq.transfer.task_results import read_results


def test_counts_are_columns_side_by_side(write_run, tmp_path):
    f1, em = [(0.5, 1), (1, 1), (0, 1)], [(0, 1), (1, 1), (0, 1)]
    write_run("a", {"de": {"f1": f1, "em": em}}, task="xquad")
    [task] = read_results(tmp_path).tasks
    assert task.score_metrics == BENCHMARKS["xquad"].metrics
    run = task.runs["a"][12]["de"]
    assert run.counts("de", task.score_metrics) == pytest.approx(np.concatenate([f1, em], axis=1))
    np.savez(run.folder / "counts.npz", **{"de/f1": f1[:2], "de/em": em})
    with pytest.raises(XalignError, match=r"counts do not match[\s\S]*\(2, 2\)[\s\S]*\(3, 2\)"):
        run.counts("de", task.score_metrics)
    path = run.folder / "counts.npz"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(XalignError, match=r"file of arrays is damaged[\s\S]*counts.npz"):
        run.counts("de", task.score_metrics)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "another format"),
        ({"seed": None}, "seed"),
        ({"benchmark": "glue"}, "unknown benchmark"),
        ({"scores": {"de": {"em": 0.5}}}, "lacks a metric"),
        ({"signatures": {}}, "lacks a metric"),
        ({"made_by": 3}, "made_by"),
    ],
)
def test_results_that_can_not_be_read(write_run, right, tmp_path, change, message):
    path = write_run("a", {"de": right(9)}) / "result.json"
    content = json.loads(path.read_text()) | change
    path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))
    with pytest.raises(XalignError, match=rf"{message}") as error:
        read_results(tmp_path)
    assert "a/xnli/en/12" in str(error.value)


def test_runs_differ_in_the_keys_that_made_them(write_run, right):
    made = {"settings": {"lr": 1e-3, "dropout": 0.1}, "updates": 40}
    other = {"settings": {"lr": 2e-3, "dropout": 0.1}, "updates": 50}
    first, second = (
        RunResult.read(write_run(name, {"de": right(9)}, made_by=by)) for name, by in (("a", made), ("b", other))
    )
    assert first.score == () and differing(first, first) == []
    assert differing(first, second) == ["settings", "updates"] and differing(first, second, ["updates"]) == ["settings"]
    assert both(["settings"], first, second) == 'settings {"lr": 0.001} and {"lr": 0.002}'
    assert brief({"a": 1, "b": 2}, {"a": 1}) == '{"b": 2}' and brief([1], {}) == "[1]"
