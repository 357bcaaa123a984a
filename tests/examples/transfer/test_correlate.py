"""Alignment beside transfer: what stands in the table, and how the two correlate."""

import pytest

from tests.examples.recipes import load
from xalign_fairseq.files import read_json

[correlate] = load("transfer", "correlate")
AERS = {"none": 22.0, "so": 20.0, "l2": 29.0, "tlm": 21.0}


def row(checkpoint, english, *scores):
    mean = sum(scores) / len(scores)
    summary = {"mean": mean, "deviation": 0.01, "runs": len(scores)}
    languages = {"en": {"mean": english, "deviation": None, "runs": 1}} if english else {}
    return {"checkpoint": checkpoint, "languages": languages, "zero_shot": summary}


@pytest.fixture
def tasks():
    """POS, which one checkpoint lacks, and retrieval in the reversed order of alignment."""
    pos = {
        "title": "pos, trained on en", "task": "pos", "train_languages": ["en"], "scored_by": ["accuracy"],
        "rows": {"accuracy": [row("none", 0.9, 0.5), row("so", 0.91, 0.6, 0.8), row("l2", 0.8, 0.2)]},
    }  # fmt: skip
    qa = {
        "title": "tatoeba", "task": "tatoeba", "train_languages": [], "scored_by": ["f1", "em"],
        "rows": {"score": [row("none", None, 0.3), row("so", None, 0.1), row("tlm", None, 0.2), row("l2", None, 0.4)]},
    }  # fmt: skip
    return [pos, qa]


def test_the_best_aligner_stands_first_and_what_was_not_run_is_empty(tasks):
    head, _, so, tlm, none, l2, last = correlate.table(tasks, AERS).splitlines()
    assert head == "| checkpoint | AER | pos, English | pos, zero-shot | tatoeba |"
    assert so == "| so | 20.0 | 91.0 | 70.0 ± 1.0 | 10.0 ± 1.0 |"
    assert tlm == "| tlm | 21.0 |  |  | 20.0 ± 1.0 |"
    assert none.startswith("| none | 22.0 |") and l2.startswith("| l2 | 29.0 |")
    assert last.startswith("| ρ with −AER |  |  | +1.00 (")


def test_better_links_correlate_with_better_scores_if_the_sign_is_plus(tasks):
    found = correlate.correlations(tasks, AERS)
    assert found["pos, trained on en"].rho == pytest.approx(1) and found["pos, trained on en"].n == 3
    assert found["tatoeba"].rho == pytest.approx(-1) and found["tatoeba"].n == 4


def test_changes_are_of_the_zero_shot_average_of_the_task_in_points(tasks):
    tested = {"difference": 0.02, "low": -0.01, "high": 0.05, "task": "tatoeba", "checkpoint": "so"}
    other = {**tested, "task": "pos, trained on en", "difference": 0.5}
    report = {"findings": {"averages": [{**tested, "over": "zero-shot"}, {**other, "over": "zero-shot"}]}}
    assert correlate.changes(tasks[1], report) == {"so": pytest.approx((2.0, -1.0, 5.0))}


def test_the_page_has_the_table_of_its_report():
    report = read_json(correlate.HERE / "results/report/report.json")
    aers = {name: read_json(correlate.ALIGNMENT / f"{name}-1.json")["test"]["test"]["mean"]
            for name in report["checkpoints"]}  # fmt: skip
    assert correlate.table(report["tasks"], aers) in (correlate.HERE / "README.md").read_text()
