"""Figures in prose equal those in the results files, and claims agree with their intervals."""

import re
from pathlib import Path

import prose
import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import write_json

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / f"examples/{name}/README.md" for name in ("weam", "ppa", "explicit_alignments", "xlm_align", "transfer")
]
COMPARING = re.compile(r"\b(better|worse|(?:no|not)\s+significant(?:ly)?|no\s+difference|no\s+more\s+than)\b")


@pytest.fixture
def root(tmp_path):
    """Results of one setting, one control and one task."""
    results = tmp_path / "examples/xlm_align/continued/results"
    results.mkdir(parents=True)
    for seed, aer in ((1, 20.1), (2, 20.4)):
        write_json(results / f"weam-{seed}.json", {"test": {"test": {"mean": aer}}})
    tests = {"tlm30": {"weam": {"seeds": 2, "difference": -0.004, "low": -0.006, "high": -0.001}}}
    write_json(results / "tests.json", tests)
    report = tmp_path / "examples/transfer/results/report/report.json"
    row = {"checkpoint": "weam", "task": "xnli, trained on en", "difference": 0.015, "low": -0.026, "high": 0.054}
    write_json(report, {"findings": {"averages": [row]}})
    prose.read.cache_clear()
    return tmp_path


def test_figures_are_filled_from_results(root):
    text = "AER <!-- =aer:weam -->19.9<!-- / -->, <!-- =aer:weam~tlm30 --><!-- / --> "
    text += "(<!-- =xnli:weam/interval -->x<!-- / -->)"
    made = prose.fill(root, text)
    assert re.sub("<!--.*?-->", "", made) == "AER 20.2, −0.4 (−2.6 to +5.4)" and prose.fill(root, made) == made
    assert (prose.figure(root, "xnli:weam/abs"), prose.figure(root, "aer:weam~tlm30/seeds")) == ("1.5", "two")


def test_a_claim_that_contradicts_its_interval_is_reported(root):
    said = {"aer:weam~tlm30": "better", "xnli:weam": "none"}  # a lower AER is better
    for name, true in said.items():
        for word in ("better", "worse", "none"):
            assert bool(prose.untrue(root, f"<!-- claim {name} {word} -->")) is (word != true), (name, word)
    with pytest.raises(XalignError, match="no such difference"):
        prose.untrue(root, "<!-- claim xnli:ppa better -->")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_an_answer_has_no_figure_by_hand_and_no_comparison_without_its_interval(page):
    answer = page.read_text().split("**The answer**")[1].split("\n<!-- study:")[0]
    answer = re.sub(r"[^.:]*\[a\s+small\s+encoder\]\([^)]*\)[^.]*\.", "", answer)  # from another study
    by_hand = re.sub(r"<!-- =.*?<!-- / -->|\[[^\]]*\]\([^)]*\)", "", answer, flags=re.DOTALL)
    assert not re.search(r"\d\.\d", by_hand.replace("p is 0.10", "")), by_hand
    marked = re.sub(r"\[[^\]]*\]\([^)]*\)|<!-- [=/].*?-->", "", prose.CLAIM.sub("§", answer))
    said = list(COMPARING.finditer(marked))
    assert said
    for found in said:
        assert "§" in marked[max(0, found.start() - 40) : found.end() + 5], marked[found.start() - 60 : found.end()]
