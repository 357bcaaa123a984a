"""Figures in prose equal those in the results files, and claims agree with their intervals."""

import re
from pathlib import Path

import numpy as np
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


def test_other_studies_of_transfer_have_differences_too(root):
    report = root / "examples/transfer/controls/results/report/report.json"
    row = {"checkpoint": "moco", "task": "parsing, trained on en", "difference": -0.006, "low": -0.015, "high": 0.004}
    write_json(report, {"findings": {"averages": [row]}})
    assert prose.figure(root, "controls.parsing:moco/interval") == "−1.5 to +0.4"
    runs = root / "examples/transfer/mechanism/results/runs/ppa"
    for task, right in (("xnli-translated/de", (1, 2)), ("xnli-code-switched/en+de", (2, 3))):
        for seed, number in enumerate(right):
            folder = runs / task / str(seed)
            folder.mkdir(parents=True)
            np.savez(folder / "counts.npz", **{"de/accuracy": [[k < number, 1] for k in range(4)]})
    assert prose.figure(root, "code-switching:de") == "+25.0" and prose.figure(root, "code-switching:de/seeds") == "two"


def test_figures_of_layers_and_of_align_mlms_tables(root):
    rows = [
        {"encoding": "joint", "method": method, "layer": layer, "test": {"mean": aer}, "development": {"mean": aer}}
        for method, aers in (("transport, itermax", (9, 7, 5)), ("SimAlign itermax", (8, 6, 6)))
        for layer, aer in enumerate(aers)
    ]
    apart = {"encoding": "separate", "method": "SimAlign itermax", "layer": 1, "test": {"mean": 99}}
    for seed in (1, 2):
        moved = [{**row, "test": {"mean": row["test"]["mean"] + seed}} for row in rows]
        write_json(
            root / f"examples/xlm_align/continued/results/layers/dwa-{seed}.json",
            {"setting": "dwa", "rows": [*moved, apart]},
        )
    assert prose.figure(root, "layer:dwa:simalign-itermax:1") == "7.5" and prose.figure(root, "layer:dwa:ahead") == "2"
    report = root / "examples/align_mlm/results/report/report.md"
    report.parent.mkdir(parents=True)
    report.write_text(
        "# A\n\n## Main grid\n\n| a | b | POS Δ |\n| --- | --- | ---: |\n| X | Y | 1.5 ± 0.2 |\n| X | Z | −2.0 |\n"
    )
    assert prose.figure(root, "align_mlm:main-grid:X|Y:POS_Δ") == "1.5"
    assert prose.figure(root, "align_mlm:main-grid:X|Z:POS_Δ") == "−2.0"
    assert prose.figure(root, "align_mlm:main-grid:X|Z:POS_Δ/abs") == "2.0"
    for name in ("align_mlm:main-grid:X:POS_Δ", "align_mlm:main-grid:X|Y:NER", "layer:dwa:simalign-itermax:3"):
        with pytest.raises(XalignError, match=r"there (is|are) no"):
            prose.figure(root, name)


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
