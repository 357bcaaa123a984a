import importlib
import shutil
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "scripts"
EXAMPLES = ROOT / "examples"


@pytest.fixture
def script(monkeypatch):
    """A function that imports a module of scripts/ or scripts/gpu/."""
    monkeypatch.syspath_prepend(str(SCRIPTS / "gpu"))
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module


@pytest.fixture
def documents(tmp_path):
    """A copy of the documents of this repository, of what they show, and of the files that mark studies."""
    for page in (ROOT / "README.md", *ROOT.glob("docs/*.md"), *EXAMPLES.rglob("*.md")):
        if "results" in page.relative_to(ROOT).parts:
            continue
        copy = tmp_path / "documents" / page.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(page, copy)
    for study in EXAMPLES.rglob("report.py"):  # these files mark studies
        if (study.parent / "README.md").exists():
            (tmp_path / "documents" / study.relative_to(ROOT)).touch()
    for studies in EXAMPLES.rglob("studies"):
        (tmp_path / "documents" / studies.relative_to(ROOT)).mkdir(parents=True)
    figures = ("xlm_align/continued/results/**/*.json", "transfer/**/report.json", "transfer/mechanism/**/counts.npz")
    for_prose = map(EXAMPLES.glob, figures)
    for report in chain(EXAMPLES.rglob("results/report/report.md"), *for_prose):
        copy = tmp_path / "documents" / report.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(report, copy)
    shutil.copytree(ROOT / "scripts/results", tmp_path / "documents/scripts/results")
    (tmp_path / "documents/scripts/gpu").mkdir()
    (tmp_path / "documents/scripts/gpu/gpu_runs.json").write_text('{"runs": []}')
    return tmp_path / "documents"
