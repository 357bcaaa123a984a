"""The report of the study that was run is that of the runs beside it, and all studies can be read."""

from pathlib import Path

import pytest

from xalign_fairseq.transfer.report import make_report
from xalign_fairseq.transfer.study import load_study
from xalign_fairseq.transfer.tables import to_markdown

STUDY = Path(__file__).parents[3] / "examples/transfer"


@pytest.mark.parametrize("study", sorted((STUDY / "studies").glob("*.yaml")), ids=lambda path: path.stem)
def test_studies_are_read(study):
    assert load_study(study, data=STUDY).tasks


@pytest.mark.slow
def test_the_report_is_that_of_its_runs():
    assert (STUDY / "results/report/report.md").read_text() == to_markdown(make_report(STUDY / "results", "none"))


def test_results_name_no_machine():
    for path in (STUDY / "results/runs").rglob("result.json"):
        assert " /" not in path.read_text() and "=/" not in path.read_text(), path
