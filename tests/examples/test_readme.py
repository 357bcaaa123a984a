import json
import re
from pathlib import Path

import pytest
from support.pages import commands

from xalign_fairseq.cli import build_parser
from xalign_fairseq.transfer.plan import TransferOptions

ROOT = Path(__file__).parents[2]
DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "user_dir_docs.md",
    *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md")),
    *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "examples").rglob("*.md")),
)


def test_relative_links_of_the_documents_lead_somewhere():
    for name in DOCUMENTS:
        document = ROOT / name
        for target in re.findall(r"\]\((?!https?:)([^)]+)\)", document.read_text()):
            path, _, anchor = target.partition("#")
            there = document.parent / path if path else document
            # The figure of a study is drawn with its report; before the first report there is neither.
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_tasks_and_studies_named_on_a_page_exist(page):
    """The command on a page of transfer named a missing task."""
    for _, words in commands(page):
        if words[:2] == ["xalign", "transfer"]:
            args = build_parser().parse_args(words[1:])
            study = args.study and str(page.parent / args.study)
            options = TransferOptions({}, Path(args.out), study, str(page.parent), args.tasks, args.languages)
            assert options.load_study().tasks, words


RESULTS = (*ROOT.glob("examples/*/results/runs"), *ROOT.glob("examples/*/*/results/runs"))


@pytest.mark.parametrize("folder", RESULTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_results_name_no_machine(folder):
    for path in folder.rglob("*.json"):
        command = json.loads(path.read_text())["command"]
        assert not re.search(r"(^|[\s='\"])[/~]", command), path  # no absolute path
