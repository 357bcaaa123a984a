"""Results of a GPU machine become files and tables of the repository."""

import json
import shutil
from itertools import chain
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
CUDA = {"device": "NVIDIA H100", "devices": 1, "driver": "580.1", "torch": "2.11.0", "cuda": "13.0", "python": "3.12.3"}
ROW = {
    "tool": "simalign",
    "method": "itermax",
    "encoding": "separate",
    "layer": 8,
    "dtype": "float32",
    "pairs_per_second": 50.0,
    "times_simalign": 1.0,
    "peak_mb": 900.0,
}
ALIGNER = {"rows": [ROW], "machine": "NVIDIA H100", "pairs": 64, "subwords": 60.0, "commit": "abc1234", "command": "c"}


@pytest.fixture
def root(tmp_path):
    """The documents of this repository, and the files that mark studies."""
    for page in (ROOT / "README.md", *ROOT.glob("docs/*.md"), *EXAMPLES.rglob("*.md")):
        if "results" in page.relative_to(ROOT).parts:
            continue
        copy = tmp_path / "root" / page.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(page, copy)
    for study in EXAMPLES.rglob("report.py"):  # these files mark studies
        if (study.parent / "README.md").exists():
            (tmp_path / "root" / study.relative_to(ROOT)).touch()
    for studies in EXAMPLES.rglob("studies"):
        (tmp_path / "root" / studies.relative_to(ROOT)).mkdir(parents=True)
    figures = ("xlm_align/continued/results/**/*.json", "transfer/**/report.json", "transfer/mechanism/**/counts.npz")
    for_prose = map(EXAMPLES.glob, figures)
    for report in chain(EXAMPLES.rglob("results/report/report.md"), *for_prose):
        copy = tmp_path / "root" / report.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(report, copy)
    (tmp_path / "root/scripts/results").mkdir(parents=True)
    (tmp_path / "root/xalign_fairseq/cli").mkdir(parents=True)
    (tmp_path / "root/xalign_fairseq/cli/gpu_runs.json").write_text('{"runs": []}')
    return tmp_path / "root"


@pytest.fixture
def out(tmp_path):
    """A function that writes the result of a stage."""
    folder = tmp_path / "out"
    folder.mkdir()

    def write(stage, status="passed", figures=None, start="2026-11-22T10:00:00+00:00", **more):
        result = {**CUDA, "stage": stage, "status": status, "commit": "abc1234", "seconds": 3.0, "start": start, **more}
        (folder / f"{stage}.json").write_text(json.dumps({**result, "figures": figures or {}}))
        return folder

    return write


@pytest.fixture
def collect(gpu_script, capsys):
    """The script's exit code and output."""
    module = gpu_script("collect")
    return lambda *given: SimpleNamespace(code=module.main([*map(str, given)]), stderr=capsys.readouterr().err)


def test_results_are_in_the_tables_and_in_doctors_file(collect, root, out):
    out("aligner", figures={"aligner-cuda.json": ALIGNER})
    out("tests", "failed", {"tests.json": {"passed": 4, "failed": ["a"], "skipped": []}}, reason="exit code 1")
    folder = out("install", start="2026-11-22T09:00:00+00:00")
    (folder / "training-profile-cuda.txt").write_text("times")
    done = collect(folder, "--root", root)
    assert done.code == 0, done.stderr
    (run,) = json.loads((root / "xalign_fairseq/cli/gpu_runs.json").read_text())["runs"]
    assert run.items() >= {**CUDA, "commit": "abc1234", "date": "2026-11-22"}.items()
    assert next(iter(run["stages"])) == "install"
    assert run["stages"]["tests"] == {"status": "failed", "seconds": 3.0, "reason": "exit code 1", "tests": [4, 1, 0]}
    assert json.loads((root / "scripts/results/aligner-cuda.json").read_text()) == ALIGNER
    assert (root / "scripts/results/training-profile-cuda.txt").read_text() == "times"
    for page in ("docs/results.md", "docs/gpu.md"):
        assert "failed: 4 passed, 1 failed, 0 skipped" in (root / page).read_text()
    assert "| 50.0 (1.00) |" in (root / "docs/performance.md").read_text()  # the aligner's own table
    assert collect("--root", root, "--check").code == 0
    assert collect(folder, "--root", root).code == 0  # again: replaces the first
    assert len(json.loads((root / "xalign_fairseq/cli/gpu_runs.json").read_text())["runs"]) == 1


def test_the_documents_here_are_as_the_results_say(collect):
    done = collect("--check")
    assert done.code == 0, done.stderr
