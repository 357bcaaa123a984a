"""Results files become tables in the documents; errors in either are named."""

import io
import shutil
import sys
from contextlib import redirect_stderr
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import compile_results
import pytest

ROOT = Path(__file__).parents[2]


def run(*arguments):
    """The script's exit code and output."""
    with (
        patch.object(sys, "argv", ["compile_results.py", *map(str, arguments)]),
        redirect_stderr(io.StringIO()) as said,
    ):
        return SimpleNamespace(returncode=compile_results.main(), stderr=said.getvalue())


@pytest.fixture
def folder(tmp_path):
    """The documents of this repository with no results yet."""
    (tmp_path / "examples/xlm_align/small/studies").mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "README.md", tmp_path)
    shutil.copy(ROOT / "docs/results.md", tmp_path / "docs")
    for study in ("transfer", "transfer/small"):
        (tmp_path / "examples" / study / "studies").mkdir(parents=True)
    (tmp_path / "examples/small/studies").mkdir(parents=True)
    for results in ("transfer/results", "xlm_align/continued/results"):  # for figures in prose
        folders = (ROOT / "examples" / results, tmp_path / "examples" / results)
        shutil.copytree(*folders, ignore=shutil.ignore_patterns("*.md"))
    studies = ("xlm_align", "xlm_align/small", "transfer", "small")
    for page in (f"examples/{study}/README.md" for study in studies):
        shutil.copy(ROOT / page, tmp_path / page)
    assert run("--root", tmp_path).returncode == 0
    return tmp_path


def test_the_documents_of_this_repository_are_up_to_date():
    done = run("--check")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "results:xlm_align/small/summary",
            "results:xlm_align/tiny/summary",
            ["unknown results table", "tiny/summary"],
        ),
        ("<!-- end -->", "", ["has no end", "results.md, line"]),
    ],
)
def test_a_wrong_marker_is_named_and_nothing_is_written(folder, old, new, words):
    document, page = folder / "docs/results.md", folder / "examples/small/README.md"
    document.write_text(document.read_text().replace(old, new))
    before = [document.read_text(), page.read_text()]
    report = folder / "examples/small/results/report/report.md"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text("# Study\n\n## Summary\n\n| a |\n")
    done = run("--root", folder)
    assert done.returncode == 2
    assert all(word in done.stderr for word in words), done.stderr
    assert [document.read_text(), page.read_text()] == before
