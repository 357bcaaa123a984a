import importlib.util
import json

import pytest

from xalign_fairseq.cli import main


@pytest.fixture
def study(write_run, right, tmp_path):
    for name in ("none", "tlm"):
        for seed in (12, 156):
            write_run(name, {"en": right(15), "de": right(9 + len(name), seed=seed)}, seed=seed)
    return tmp_path


def test_it_prints_and_writes(study, capsys):
    pytest.importorskip("matplotlib")
    assert main(["transfer-report", str(study), "--baseline", "none", "--samples", "50"]) == 0
    text = capsys.readouterr().out
    folder = study / "report"
    assert text == (folder / "report.md").read_text(encoding="utf-8") and "## Differences from none" in text
    assert json.loads((folder / "report.json").read_text(encoding="utf-8"))["baseline"] == "none"
    assert r"\begin{tabular}" in (folder / "report.tex").read_text(encoding="utf-8")
    for name in ("scores.png", "gaps.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")


def test_json_and_another_folder_whose_files_are_kept(study, tmp_path, capsys, monkeypatch):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main(["transfer-report", str(study), "--json", "--out", str(folder)]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out) == json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert "no pictures: pictures need matplotlib" in shown.err
    assert sorted(each.name for each in folder.iterdir()) == ["notes.txt", "report.json", "report.md", "report.tex"]


@pytest.mark.parametrize("name", ["paper.md", "gaps.png", "report.json"])
def test_a_file_that_is_not_of_a_report_is_kept(study, tmp_path, capsys, name):
    (tmp_path / "own" / name).parent.mkdir()
    (tmp_path / "own" / name).write_text('{"mine": 1}')
    paper = ("--paper", "xlm_align", "--row", "tlm=XLM-R base")
    assert main(["transfer-report", str(study), "--samples", "5", "--out", str(tmp_path / "own"), *paper]) == 2
    assert name in capsys.readouterr().err
    assert [each.read_text() for each in (tmp_path / "own").iterdir()] == ['{"mine": 1}']


def test_a_papers_figures_are_next_to_ours(study, capsys):
    asked = ("--paper", "explicit_alignments", "--row", "tlm=mBERT", "--samples", "5")
    assert main(["transfer-report", str(study), *asked]) == 0
    shown, written = capsys.readouterr().out, (study / "report/paper.md").read_text(encoding="utf-8")
    assert shown.endswith(written) and "## Table 3 of the paper, xnli accuracy, and ours" in written
    table = [line for line in written.split("## Table 3 ")[1].split("## ")[0].splitlines() if line.startswith("| ")]
    head = table[0]
    ours, row = (next(line for line in table if line.startswith(name)) for name in ("| ours: tlm", "| tlm less mBERT"))
    cell = [part.strip() for part in head.split("|")].index("de")
    value = float(ours.split("|")[cell].split("±")[0])
    assert float(row.split("|")[cell].replace("−", "-")) == pytest.approx(value - 70.5, abs=0.06)
    for options in (["--paper", "nobody"], ["--paper", "ppa", "--row", "tlm=nothing"], ["--row", "tlm=mBERT"]):
        assert main(["transfer-report", str(study), *options]) == 2
        assert "--row" in (told := capsys.readouterr().err) or "--paper" in told


def test_one_task_and_two_languages_are_not_compared_with_the_papers_averages(write_run, right, tmp_path, capsys):
    for seed in (12, 156):
        write_run("xlmr", {each: right(9) for each in ("en", "de")}, task="xnli", seed=seed)
    asked = ("--paper", "xlm_align", "--row", "xlmr=XLM-R base", "--samples", "5")
    assert main(["transfer-report", str(tmp_path), *asked]) == 0
    lines = (tmp_path / "report/paper.md").read_text(encoding="utf-8").splitlines()
    ours = [line for line in lines if line.startswith("| ours: xlmr")]
    assert "- Table 6, xnli accuracy, average score: filtering: Enable; filtering: Disable" in lines
    assert not [line for line in lines if line.startswith("## Table 6")]
    assert "(2 of 15 languages)" in ours[0] and "(0 of 7 tasks in the paper's languages, and 1 other)" in ours[1]
    assert all(set(line.split("base")[1]) <= set(" |") for line in lines if line.startswith("| xlmr less"))


def test_a_report_has_what_its_command_names_and_lost_differences_are_reported(study, capsys):
    report, asked = study / "report/report.md", ("transfer-report", str(study), "--samples", "5")
    paper = ("--paper", "xlm_align", "--row", "tlm=XLM-R base")
    assert main([*asked, "--baseline", "none", *paper]) == 0
    assert "## Differences from none" in report.read_text() and (study / "report/paper.md").exists()
    assert "--baseline" not in capsys.readouterr().err
    assert main([*asked, *paper]) == 0
    assert "Differences from" not in report.read_text()
    assert "the earlier report had differences from none: --baseline none adds them" in capsys.readouterr().err
