"""The study's report is that of the runs beside it, and its plans are valid."""

from pathlib import Path

import pytest

from xalign_fairseq.transfer.report import make_report
from xalign_fairseq.transfer.study import load_plan
from xalign_fairseq.transfer.tables import to_markdown

STUDY = Path(__file__).parents[2] / "examples/transfer"


@pytest.mark.parametrize("plan", sorted((STUDY / "plans").glob("*.yaml")), ids=lambda path: path.stem)
def test_plans_are_read(plan):
    assert load_plan(plan, data=STUDY).tasks


@pytest.mark.slow
def test_the_report_is_that_of_its_runs():
    assert (STUDY / "results/report/report.md").read_text() == to_markdown(make_report(STUDY / "results", "none"))


def test_results_name_no_machine():
    for path in (STUDY / "results/runs").rglob("result.json"):
        assert " /" not in path.read_text() and "=/" not in path.read_text(), path
