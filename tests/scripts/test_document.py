import re
import sys
from pathlib import Path

import compile_results
import document_house
import prose
import pytest
import structure

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.objectives.registry import OBJECTIVES

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("results:benchmarks/kftt", "results:tiny/summary", ["unknown results table", "tiny/summary"]),
        ("<!-- end -->", "", ["has no end", "results.md, line"]),
    ],
)
def test_a_wrong_marker_is_named_and_nothing_is_written(documents, old, new, words, monkeypatch, capsys):
    document, page = documents / "docs/results.md", documents / "examples/small/README.md"
    document.write_text(document.read_text().replace(old, new))
    before = [document.read_text(), page.read_text()]
    report = documents / "examples/small/results/report/report.md"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text("# Study\n\n## Summary\n\n| a |\n")
    monkeypatch.setattr(sys, "argv", ["compile_results.py", "--root", str(documents)])
    assert compile_results.main() == 2
    said = capsys.readouterr().err
    assert all(word in said for word in words), said
    assert [document.read_text(), page.read_text()] == before


def test_the_picture_is_that_of_the_imports_of_today():
    made = document_house.picture(document_house.room_arrows(structure.arrows()))
    assert document_house.PICTURE.read_text() == made, "run: python scripts/document_house.py"


def test_the_reference_is_up_to_date_and_a_change_is_found_and_fixed(tmp_path, capsys, script, monkeypatch):
    from xalign_fairseq.criterions import weighted

    module = script("document_options")
    own = {name: each for name, each in OBJECTIVES.items() if each.__module__.startswith("xalign_fairseq.")}
    monkeypatch.setattr(module, "OBJECTIVES", own)
    shown = {name: each for name, each in weighted.CRITERIONS.items() if set(each.objectives) <= own.keys()}
    monkeypatch.setattr(weighted, "CRITERIONS", shown)

    def run(*arguments):
        return module.main([str(each) for each in arguments])

    assert run("--check") == 0, capsys.readouterr().err[-3000:]
    text = (ROOT / "docs/reference/objectives.md").read_text()
    row = "| `--dwa-unmasked-prob` | `0.15` |"
    assert row in text
    copy = tmp_path / "docs/reference/objectives.md"
    copy.parent.mkdir(parents=True)
    copy.write_text(text.replace(row, "| `--dwa-unmasked-prob` | `0.25` |"))
    assert run("--check", "--root", tmp_path) == 1
    assert "+| `--dwa-unmasked-prob` | `0.15` |" in capsys.readouterr().err
    assert run("--root", tmp_path) == 0
    assert copy.read_text() == text


RESULTS = Path(__file__).parents[2] / "scripts/results"


@pytest.mark.parametrize(
    ("module", "function", "name", "table"),
    [
        ("benchmark_aligner", "render", "aligner", "aligner"),
        ("sinkhorn_report", "render", "sinkhorn", "sinkhorn"),
        ("sinkhorn_report", "render", "intel/sinkhorn", "intel/sinkhorn"),
        ("sinkhorn_report", "render", "zen4/sinkhorn", "zen4/sinkhorn"),
        ("from_scratch_report", "write_table", "from_scratch", "from_scratch"),
        ("from_scratch_report", "write_sizes", "from_scratch", "from_scratch_sizes"),
        ("faults_operations", "render", "operations", "operations"),
        *(
            ("training_report", "render", f"{machine}training", f"{machine}training")
            for machine in ("", "intel/", "zen4/")
        ),
    ],
)
def test_a_table_is_of_its_results(script, module, function, name, table):
    devices = {device: RESULTS / f"{name}-{device}.json" for device in ("cpu", "cuda")}
    of_devices = {device: read_json(path) for device, path in devices.items() if path.is_file()}
    found = getattr(script(module), function)(of_devices or read_json(RESULTS / f"{name}.json"))
    assert found == (RESULTS / f"{table}.md").read_text()


def test_every_published_figure_has_a_source(script):
    peers = script("peers")
    for row in read_json(RESULTS / f"{Path(peers.PUBLISHED).name}.json")["rows"]:
        assert "https://" in row["source"] and row["conditions"] and row["aer"].keys() <= set(peers.COLUMNS)


PAPERS = [
    ROOT / f"examples/{name}/README.md" for name in ("weam", "ppa", "explicit_alignments", "xlm_align", "transfer")
]
MORE_PAGES = """
docs/results docs/reference/train_aligner examples/align_mlm/README examples/align_mlm/details
examples/from_scratch/README examples/from_scratch/with_an_encoder examples/xlm_align/continued/README
examples/xlm_align/continued/details examples/xlm_align/small/README
"""
PAGES = [*PAPERS, *(ROOT / f"{name}.md" for name in MORE_PAGES.split())]
NOT_BY_HAND = re.compile(
    r"<!-- =.*?<!-- / -->|<!-- \w+:.*?<!-- end -->|<!--.*?-->|```.*?```|`[^`\n]*`|^    .*?$|^\|.*?$|\]\([^)]*\)",
    re.DOTALL | re.MULTILINE,
)
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


def test_a_figure_can_be_a_cell_of_a_table(root):
    table = root / "scripts/results/seeds/made_up.md"
    table.parent.mkdir(parents=True)
    table.write_text(
        "| pair | set | so_1 + x | change |\n| --- | --- | --- | --- |\n| a | test | *1.5 ± 0.1* | -2.0 (-3.0 to 1) |\n"
    )
    name = "cell:benchmarks/seeds/made_up:a|test"
    found = [prose.figure(root, f"{name}:{each}") for each in ("so_1_+_x", "change", "change/abs")]
    assert found == ["1.5", "-2.0", "2.0"]
    with pytest.raises(XalignError, match="no such cell"):
        prose.figure(root, f"{name}:missing")


def test_a_claim_that_contradicts_its_interval_is_reported(root):
    said = {"aer:weam~tlm30": "better", "xnli:weam": "none"}  # a lower AER is better
    for name, true in said.items():
        for word in ("better", "worse", "none"):
            assert bool(prose.untrue(root, f"<!-- claim {name} {word} -->")) is (word != true), (name, word)
    with pytest.raises(XalignError, match="no such difference"):
        prose.untrue(root, "<!-- claim xnli:ppa better -->")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_has_no_handwritten_figure(page):
    """Values of settings and versions are code; a paper's figures precede the answer."""
    before, answer, after = page.read_text().partition("**The answer**")
    answer = NOT_BY_HAND.sub("", after if answer else before)
    found = re.findall(r"^.*\b\d+(?:\.\d|\s%).*$", answer.replace("95 %", ""), re.MULTILINE)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", PAPERS, ids=lambda page: page.parent.name)
def test_an_answer_has_no_comparison_without_its_interval(page):
    answer = page.read_text().split("**The answer**")[1].split("\n<!-- study:")[0]
    answer = re.sub(r"[^.:]*\[a\s+small\s+encoder\]\([^)]*\)[^.]*\.", "", answer)  # from another study
    marked = re.sub(r"\]\([^)]*\)|<!-- [=/].*?-->", "", prose.CLAIM.sub("§", answer))
    said = list(COMPARING.finditer(marked))
    assert said
    for found in said:
        assert "§" in marked[max(0, found.start() - 40) : found.end() + 5], marked[found.start() - 60 : found.end()]
