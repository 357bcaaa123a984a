"""Training from nothing works as its page has it, on smaller sizes; links lead somewhere; papers' pages are short."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from xalign_fairseq.cli import build_parser
from xalign_fairseq.transfer.plan import TransferOptions

ROOT = Path(__file__).parents[2]
DOCUMENTS = (
    "README.md",
    "user_dir_docs.md",
    *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md")),
    *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "examples").rglob("*.md")),
)
SMALLER = {
    "docs/howto/from_nothing.md": {
        "--pairs 20000 --seed 1 --valid 200 --test 200": "--pairs 300 --seed 1 --valid 20 --test 20",
        "--vocab-size 2000": "--vocab-size 600",
        "--max-update 1000": "--max-update 2",
        "--bootstrap 1000": "--bootstrap 10",
    },
    "user_dir_docs.md": {
        "--pairs 2000": "--pairs 300 --valid 20 --test 20",
        "--vocab-size 1000": "--vocab-size 600",
        "--max-update 200": "--max-update 2",
    },
}


def commands(page):
    """The indented lines of a page."""
    text = (ROOT / page).read_text()
    return "\n".join(line[4:] for line in text.split("\n") if line.startswith("    "))


@pytest.mark.slow
@pytest.mark.parametrize("page", SMALLER)
def test_training_from_nothing_works(page, tmp_path):
    pytest.importorskip("matplotlib")
    script = commands(page)
    for old, new in SMALLER[page].items():
        assert old in script
        script = script.replace(old, new)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "\naer " in done.stdout or done.stdout.startswith("aer ")
    assert "base:hyp0,gold0" in done.stdout
    assert len((tmp_path / "test.links").read_text().splitlines()) == 20
    assert "--plot" not in script or (tmp_path / "pair.png").read_bytes().startswith(b"\x89PNG")


def test_relative_links_of_the_documents_lead_somewhere():
    for name in DOCUMENTS:
        document = ROOT / name
        for target in re.findall(r"\]\((?!https?:)([^)]+)\)", document.read_text()):
            path, _, anchor = target.partition("#")
            there = document.parent / path if path else document
            # A study's picture is drawn with its report; before the first one there is neither.
            if there.parent.name == "report" and not there.with_name("report.md").exists():
                continue
            assert there.exists(), (document.name, target)
            headings = re.findall(r"^#+ (.+)$", there.read_text(), re.MULTILINE) if there.suffix == ".md" else []
            anchors = [re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings]
            assert not anchor or anchor in anchors, (document.name, target)


@pytest.mark.parametrize("paper", ["align_mlm", "explicit_alignments", "ppa", "weam", "xlm_align"])
def test_a_papers_page_is_claim_answer_one_table_and_steps(paper):
    page = (ROOT / "examples" / paper / "README.md").read_text()
    claim, steps = page.index("\n**The claim**"), page.index("\n## Steps\n")
    [table] = re.finditer(r"^<!-- (?!end)\S+ -->$", page, re.MULTILINE)
    assert claim < page.index("\n**The answer**") < table.start() < steps
    assert len(re.findall(r"^!\[", page, re.MULTILINE)) == 1
    assert "(details.md)" in page[steps:] and len(page.splitlines()) <= 80


PAGES = sorted(page for page in (ROOT / "examples").rglob("*.md") if "results" not in page.parts)
SCRIPT = re.compile(r"\b(?:bash|python) ((?:\.\./)*[\w/.-]+\.(?:sh|py))\b(.*)")


def page_lines(page):
    """The indented lines of a page, those that go on joined."""
    text = "\n".join(line[4:] for line in page.read_text().split("\n") if line.startswith("    "))
    return text.replace("\\\n", " ").split("\n")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_pages_scripts_are_there_and_say_their_usage(page):
    for line in page_lines(page):
        for name, _ in SCRIPT.findall(line):
            script = page.parent / name
            assert script.is_file(), line
            if script.suffix == ".sh" and script.parent.parent == ROOT / "examples":
                done = subprocess.run(["bash", script], capture_output=True, text=True, stdin=subprocess.DEVNULL)
                assert done.returncode == 2 and f"bash {script.name}" in done.stderr, (line, done.stderr)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_tasks_and_studies_that_a_page_names_are_there(page):
    """The command that a page of transfer printed named a task that there was not."""
    for line in page_lines(page):
        words = shlex.split(line, comments=True) if line.startswith("xalign transfer ") and "..." not in line else []
        if words:
            args = build_parser().parse_args(words[1:])
            study = args.study and str(page.parent / args.study)
            options = TransferOptions({}, Path(args.out), study, args.data or "data", args.tasks, args.languages)
            assert options.load_study().tasks, line


RESULTS = (*ROOT.glob("examples/*/results/runs"), *ROOT.glob("examples/*/*/results/runs"))


@pytest.mark.parametrize("folder", RESULTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_results_name_no_machine(folder):
    for path in folder.rglob("*.json"):
        command = json.loads(path.read_text())["command"]
        assert not re.search(r"(^|[\s='\"])[/~]", command), path  # no absolute path
