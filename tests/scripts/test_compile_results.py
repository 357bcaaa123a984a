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


def test_a_study_has_a_table_for_each_heading_of_its_report(folder):
    page = folder / "examples/transfer/README.md"
    page.write_text("<!-- results:transfer/pos-trained-on-en -->\n<!-- end -->\n")
    assert run("--root", folder).returncode == 0
    assert "No results yet." in page.read_text()
    report = folder / "examples/transfer/results/report/report.md"
    report.parent.mkdir(parents=True, exist_ok=True)
    (folder / "docs/results.md").write_text("# none\n")
    report.write_text("# Zero-shot\n\nWhat.\n\n## Overall\n\n| a |\n\n## POS, trained on en\n\n| b |\n\nNote.\n")
    assert run("--root", folder).returncode == 0
    assert page.read_text() == "<!-- results:transfer/pos-trained-on-en -->\n| b |\n\nNote.\n<!-- end -->\n"
    page.write_text("<!-- results:transfer/nothing -->\n<!-- end -->\n")
    done = run("--root", folder)
    assert done.returncode == 2
    assert "overall, pos-trained-on-en" in done.stderr


@pytest.mark.parametrize("name", ["aligner", "machine/aligner"])
def test_a_benchmark_has_its_table(folder, name):
    readme = folder / "README.md"
    readme.write_text(f"{readme.read_text()}\n<!-- results:benchmarks/{name} -->\n<!-- end -->\n")
    assert run("--root", folder).returncode == 0
    assert readme.read_text().endswith(f"<!-- results:benchmarks/{name} -->\nNo results yet.\n<!-- end -->\n")
    measured = folder / f"scripts/results/{name}.md"
    measured.parent.mkdir(parents=True)
    measured.write_text("| tool |\n\n- cpu: one core\n")
    assert run("--root", folder, "--check").returncode == 1
    assert run("--root", folder).returncode == 0
    assert readme.read_text().endswith("| tool |\n\n- cpu: one core\n<!-- end -->\n")
