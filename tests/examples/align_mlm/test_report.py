"""The tables of ALIGN-MLM by hand, and a report that agrees with the stored results."""

import sys

import pytest

from tests.examples.align_mlm.made_up import add, report, study
from tests.examples.stand_ins import EXAMPLES
from xalign_fairseq.core.errors import exit_code


def test_the_command_reads_writes_and_draws(results, capsys, monkeypatch):
    pytest.importorskip("matplotlib")

    def run(*options):
        monkeypatch.setattr(sys, "argv", ["report.py", "--results", str(results), *options])
        return exit_code(report.main)

    assert run("--check") == 1 and "next: python report.py" in capsys.readouterr().err
    assert not (results / "report").exists()
    assert run() == 0 and run("--check") == 0
    for picture in ("gaps", "alignment"):
        assert (results / f"report/{picture}.png").read_bytes().startswith(b"\x89PNG")
    add(results, "mlm.trans-4", 9, 9)
    assert run("--check") == 1
    (results / "runs/other-1.json").write_text("{}")
    assert run() == 2 and "other-1" in capsys.readouterr().err


@pytest.mark.slow
def test_the_report_is_that_of_its_results():
    folder = EXAMPLES / "align_mlm/results"
    assert (folder / "report/report.md").read_text() == report.to_markdown(study.read(folder))
