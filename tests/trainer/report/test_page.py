import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from support.browser import BROWSER, read_html

from xalign_fairseq.evaluation.plots.palette import COLOURS, DARK
from xalign_fairseq.trainer.report.page import report_page
from xalign_fairseq.trainer.report.trained_run import DataFolder, read_run


def headings_of(page):
    return ["".join(each.itertext()) for each in read_html(page).iter() if each.tag in ("h1", "h2")]


@pytest.fixture
def run(run_folder):
    return read_run(run_folder)


def test_the_content_of_the_page(run):
    page = report_page(run, "<p>links</p>")
    assert headings_of(page) == [
        "Training run a <run>", "Losses", "Validation", "Example links", "Numbers", "Configuration", "Data",
        "Where and when", "Warnings", "Other logged values",
    ]  # fmt: skip
    [body] = read_html(page).iter("body")
    text, [data] = " ".join(body.itertext()), run.data
    for part in (
        "25.00 %", "at update 40", "1:00:30", "4,000", "mlm × 1.0, dwa × 0.5", "fairseq-train data-bin --lr '<b>'",
        "A <GPU>, 2 cores", "abc1234", "torch 2.13.0", "killed, or it runs", "warning: update 3 is <left out>",
        "1,600 pairs", "training, update 10: 8", "en-de", "2 empty source", "18,031 en, 19,638 de",
        "7,083 sure, 1 possible", "300 sentences", "501 symbols", f"sha256 {data.digest}", "f00",
    ):  # fmt: skip
        assert part in text, part
    assert "empty target" not in text
    assert "aer_en-de" not in " ".join(re.findall("<li>.*?</li>", report_page(run)))  # with one pair it equals the mean


def test_nothing_is_loaded_and_no_script_runs(run):
    page = report_page(run)
    assert not any({"src", "href"} & each.attrib.keys() for each in read_html(page).iter())
    assert not any(part in page for part in ("<script", "url(", "@import"))
    assert "default-src 'none'" in page and "<b>" not in page


def test_lines_have_the_colours_of_all_pictures_light_and_dark(run):
    page = report_page(run)
    for colour in COLOURS:
        assert f"light-dark({colour}, {DARK[colour]})" in page


def test_several_pairs_and_a_score(run):
    rows = [replace(row, values={**row.values, "aer_en-fr": 0.4, "score": 81.5}) for row in run.rows]
    page = report_page(replace(run, rows=rows))
    assert "<title>aer_en-fr, update 20: 40</title>" in page and "<title>score, update 20: 81.5</title>" in page


def test_a_bare_run_shows_available_parts(run, tmp_path):
    bare = replace(
        run, configuration={}, sessions=(), data=(), warnings=(), command="", cost=replace(run.cost, minutes=0)
    )
    assert headings_of(report_page(bare))[1:] == [
        "Losses",
        "Validation",
        "Numbers",
        "Where and when",
        "Other logged values",
    ]


@pytest.mark.skipif(BROWSER is None, reason="no browser to look with")
@pytest.mark.parametrize("dark", [False, True])
def test_a_browser_shows_it_light_and_dark(run, tmp_path, dark):
    (tmp_path / "report.html").write_text(report_page(run), encoding="utf-8")
    picture = tmp_path / "page.png"
    scheme = [f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile", *scheme]
    subprocess.run(
        [BROWSER, *options, f"--screenshot={picture}", "--window-size=1000,1400", f"file://{tmp_path}/report.html"],
        check=True,
        capture_output=True,
        timeout=120,
    )
    image = pytest.importorskip("matplotlib.image").imread(picture)
    corner = image[5, 5, :3].mean()
    assert corner < 0.2 if dark else corner > 0.8
    # The lines of training and validation have their colours.
    for colour in COLOURS[:2]:
        shown = DARK[colour] if dark else colour
        wanted = [int(shown[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        assert (abs(image[..., :3] - wanted).max(-1) < 0.02).sum() > 50


def test_a_folder_without_manifest_is_reported(run_folder):
    run = read_run(run_folder)
    assert "no manifest" not in report_page(run)
    assert "no manifest" in report_page(replace(run, data=[DataFolder(Path("gone"), None, None)]))
