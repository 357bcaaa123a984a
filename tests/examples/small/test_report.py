"""Verdicts and tables of the study of small encoders by hand, and a report that agrees with the results next to it."""

import pytest

from tests.examples.small.made_up import add, report, rows, study
from xalign_fairseq.core.errors import XalignError


def test_the_table_by_hand(results):
    text = report.to_markdown(study.read(results))
    summary = {row[0]: row for row in rows(text, "Summary")}
    # AER of 20, 21 and 22 of 50 sentences right: 60, 58, 56 %; 30, 31 and 32 of 100: deviation 1
    assert summary["tlm"][3:] == ["3", "400", "1.50M", "58.00 ± 2.00", "31.00 ± 1.00", "41.00 ± 1.00"]
    assert summary["weam"][1:3] == ["hurts, hurts, hurts", "no difference, no difference, no difference"]
    assert summary["tlm30"][2] == "" and summary["none"][1:] == ["", "", "–", "–", "–", "60.00", "30.00", "40.00"]
    assert summary["weak"][1:3] == ["helps, helps, helps"] * 2
    assert summary["strong"][1:3] == ["hurts, hurts, hurts"] * 2
    assert summary["ppa"][1:3] == ["no difference, no difference, no difference"] * 2
    differences = {tuple(row[:3]): row[3:] for row in rows(text, "Differences")}
    assert differences["weak", "none", "AER"][:3] == ["items and seeds", "helps", "**−50.00**"]
    assert differences["weak", "tlm", "retrieval"][1:3] == ["helps", "**+60.00**"]
    assert differences["ppa", "tlm", "alignment score"][1:3] == ["no difference", "0.00"]
    assert ("none", "tlm", "AER") not in differences and ("tlm", "none", "AER") in differences
    # p of the smallest of 1000 resamples; t = 0.5 / (0.02 / sqrt(3)) has p 0.0005; times the settings of the comparison
    assert differences["weak", "none", "AER"][4:] == ["0.001", "0.001", "0.006"]
    assert differences["weak", "tlm", "AER"][4:] == ["0.001", "0.000", "0.004"]
    # WEAM has a TLM of its own, in the same family
    assert ("weam", "tlm", "AER") not in differences and ("tlm30", "tlm", "AER") not in differences
    assert differences["weam", "tlm30", "AER"][1] == "no difference" == differences["ppa", "tlm", "AER"][1]
    assert "against TLM (weam: tlm30): AER, retrieval, alignment score" in rows(text, "Summary")[0]


def test_each_paper_has_its_settings_beside_the_baselines(results):
    text = report.to_markdown(study.read(results))
    assert {row[0] for row in rows(text, "Explicit alignments")[2:]} >= {"none", "tlm", "weak", "strong"}
    assert "ppa" not in {row[0] for row in rows(text, "Explicit alignments")}
    assert [row[0] for row in rows(text, "WEAM")[2:5]] == ["none", "tlm30", "weam"]
    assert "tlm" not in {row[0] for row in rows(text, "WEAM")}
    for path in (results / "runs").glob("weam-*"):
        path.unlink()
    assert report.to_markdown(study.read(results)).split("## WEAM\n\n")[1] == "No results yet.\n"


def test_what_has_no_seed_is_tested_over_items_alone(tmp_path):
    add(tmp_path, "none", 20, 30, 40)
    add(tmp_path, "procrustes", 20, 90, 40)
    for seed, right in ((1, 30), (2, 31), (3, 35)):
        add(tmp_path, f"tlm-{seed}", 20, right, 40)
    judged = [each for each in report.judge(study.read(tmp_path)) if each.setting == "procrustes"]
    found = {(each.baseline, each.measure): each for each in judged}
    assert found["none", "accuracy"].p_seeds is None and found["none", "accuracy"].verdict == "helps"
    assert found["tlm", "accuracy"].p_seeds < 0.001 and found["tlm", "aer"].p_seeds == 1


def test_without_results_the_report_says_so():
    text = report.to_markdown({})
    assert text.count("No results yet.") == 8


def test_results_of_different_pairs_are_refused(results, capsys):
    add(results, "weam-1", 10, 10, 10, pair="en-fr")
    with pytest.raises(XalignError, match="different pairs"):
        study.read(results)
    assert report.REPORT.main("doc", ["--results", str(results)]) == 2
    assert "weam-1 of en-fr" in capsys.readouterr().err


def test_the_command_reads_writes_and_draws(results):
    pytest.importorskip("matplotlib")
    assert report.REPORT.main("doc", ["--results", str(results)]) == 0
    folder = results / "report"
    assert (folder / "report.md").read_text() == report.to_markdown(study.read(results))
    assert (folder / "measures.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_report_is_that_of_its_results():
    path = study.RESULTS / "report/report.md"
    assert path.read_text() == report.to_markdown(study.read(study.RESULTS))
