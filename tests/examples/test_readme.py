"""Training from nothing works as its page has it, on smaller sizes; links lead somewhere; papers' pages are short."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = (
    "README.md",
    "user_dir_docs.md",
    *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md")),
    *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "examples").rglob("*.md")),
)
SMALLER = {
    "--pairs 20000 --seed 1 --valid 200 --test 200": "--pairs 300 --seed 1 --valid 20 --test 20",
    "--vocab-size 2000": "--vocab-size 600",
    "--max-update 1000": "--max-update 2",
    "--bootstrap 1000": "--bootstrap 10",
}


def commands(page):
    """The indented lines of a page."""
    text = (ROOT / page).read_text()
    return "\n".join(line[4:] for line in text.split("\n") if line.startswith("    "))


@pytest.mark.slow
def test_training_from_nothing_works(tmp_path):
    pytest.importorskip("matplotlib")
    script = commands("docs/howto/from_nothing.md")
    for old, new in SMALLER.items():
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
    assert (tmp_path / "pair.png").read_bytes().startswith(b"\x89PNG")


def test_relative_links_of_the_documents_lead_somewhere():
    for name in DOCUMENTS:
        document = ROOT / name
        text = document.read_text()
        for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
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
