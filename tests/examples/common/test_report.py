"""The command of a report, with runs that are lines of a file."""

import pytest

from tests.examples.recipes import load
from xalign_fairseq.core.errors import XalignError

[report] = load("common", "report")


@pytest.fixture
def run(tmp_path):
    """The command on a folder of its own."""

    def read(folder):
        lines = (folder / "runs").read_text().split()
        if "broken" in lines:
            raise XalignError("there is no such run")
        return {line: [1] for line in lines}

    def draw(runs, folder):
        (folder / "picture").write_text(str(len(runs)))

    found = report.Report("--results", tmp_path / "nowhere", "out/report.md", read, lambda runs: f"{[*runs]}\n", draw)
    return lambda *options: found.main("doc", ["--results", str(tmp_path), *options])


def test_an_outdated_report_is_noticed_and_nothing_is_written(run, tmp_path, capsys):
    (tmp_path / "runs").write_text("a b")
    assert run("--check") == 1 and "next: python report.py" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert run() == 0 and run("--check") == 0
    assert (tmp_path / "out/report.md").read_text() == "['a', 'b']\n" and (tmp_path / "out/picture").read_text() == "2"
    (tmp_path / "runs").write_text("a b c")
    assert run("--check") == 1


def test_without_results_there_is_no_picture(run, tmp_path):
    (tmp_path / "runs").write_text("")
    assert run() == 0 and (tmp_path / "out/report.md").exists() and not (tmp_path / "out/picture").exists()


def test_results_that_can_not_be_read_are_told(run, tmp_path, capsys):
    (tmp_path / "runs").write_text("broken")
    assert run() == 2 and capsys.readouterr().err == "error: there is no such run\n"
