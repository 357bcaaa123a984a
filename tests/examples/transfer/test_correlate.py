"""Alignment beside transfer: what stands in the table, and how the two correlate."""

import pytest

from tests.examples.recipes import load
from xalign_fairseq.core.json_files import read_json

[correlate] = load("transfer", "correlate")
AERS = {"none": 22.0, "so": 20.0, "l2": 29.0, "tlm": 21.0}


def row(checkpoint, score):
    return {"checkpoint": checkpoint, "zero_shot": {"mean": score, "deviation": None, "runs": 1}}


def change(checkpoint, task, difference):
    span = {"low": difference - 0.01, "high": difference + 0.01}
    return {"checkpoint": checkpoint, "task": task, "over": "zero-shot", "difference": difference, **span}


POS = {
    "title": "pos, trained on en",
    "task": "pos",
    "scored_by": ["accuracy"],
    "rows": {"accuracy": [row("none", 0.5)]},
}
QA = {"title": "tatoeba", "task": "tatoeba", "scored_by": ["f1", "em"], "rows": {"score": [row("none", 0.3)]}}
# POS, which one checkpoint lacks, follows alignment; the other is in the reversed order.
REPORT = {"findings": {"averages": [
    change("so", POS["title"], 0.2), change("l2", POS["title"], -0.3),
    change("so", QA["title"], -0.2), change("tlm", QA["title"], -0.1), change("l2", QA["title"], 0.1),
]}}  # fmt: skip


def test_the_best_aligner_stands_first_and_what_was_not_run_is_empty():
    head, _, so, tlm, none, l2, last = correlate.table([POS, QA], REPORT, AERS).splitlines()
    assert head == "| checkpoint | AER | pos | tatoeba |"
    assert so == "| so | 20.0 | +20.0 (+19.0 to +21.0) | −20.0 (−21.0 to −19.0) |"
    assert tlm == "| tlm | 21.0 |  | −10.0 (−11.0 to −9.0) |"
    assert none == "| none | 22.0 | 50.0 | 30.0 |" and l2.startswith("| l2 | 29.0 | −30.0 (")
    assert last.startswith("| ρ with −AER |  | +1.00 (")


def test_better_links_correlate_with_better_scores_if_the_sign_is_plus():
    pos, qa = correlate.correlations([POS, QA], REPORT, AERS)
    assert pos.rho == pytest.approx(1) and pos.n == 3
    assert qa.rho == pytest.approx(-1) and qa.n == 4


def test_changes_are_of_the_zero_shot_average_of_the_task_in_points():
    other = {**change("so", QA["title"], 0.5), "over": "en"}
    report = {"findings": {"averages": [*REPORT["findings"]["averages"], other]}}
    assert correlate.changes(POS, report) == {
        "so": pytest.approx((20.0, 19.0, 21.0)), "l2": pytest.approx((-30.0, -31.0, -29.0))
    }  # fmt: skip


def test_what_differs_from_a_control_that_was_trained_without_alignment():
    report = {**REPORT, "checkpoints": ["tlm", "so", "none", "l2", "weak"]}  # weak has no change in any task
    changed = change("none", POS["title"], -0.4)
    report["findings"] = {"averages": [*REPORT["findings"]["averages"], changed]}
    head, _, *rows = correlate.against([POS, QA], report).splitlines()
    assert head == "| checkpoint | pos | tatoeba |"
    assert rows == [
        "| tlm |  | −10.0 (−11.0 to −9.0) |",
        "| so | +20.0 (+19.0 to +21.0) | −20.0 (−21.0 to −19.0) |",
        "| l2 | −30.0 (−31.0 to −29.0) | +10.0 (+9.0 to +11.0) |",
    ]


def test_the_page_has_the_tables_of_its_reports():
    report = read_json(correlate.HERE / "results/report/report.json")
    aers = {name: read_json(correlate.ALIGNMENT / f"{name}-1.json")["test"]["test"]["mean"]
            for name in report["checkpoints"]}  # fmt: skip
    page, details = ((correlate.HERE / name).read_text() for name in ("README.md", "details.md"))
    tasks = correlate.enough(report["tasks"])
    assert correlate.table(tasks, report, aers) in page
    control = read_json(correlate.HERE / "results/control/report.json")
    assert control["baseline"] == "mlm-tlm"
    assert correlate.against([task for task in tasks if task["train_languages"]], control) in details


def test_tasks_of_few_checkpoints_are_not_correlated():
    tasks = [{"scored_by": ["f1"], "rows": {"f1": [{"checkpoint": str(number)} for number in range(count)]}}
             for count in (correlate.LEAST - 1, correlate.LEAST)]  # fmt: skip
    assert correlate.enough(tasks) == tasks[1:]
