"""Reports of finished studies agree with the stored runs, and all studies can be read."""

from functools import partial
from pathlib import Path

import pytest

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
