#!/usr/bin/env python3
"""Write the results tables of README.md, docs/ and the pages of examples/ from results files.

usage: compile_results.py [--check] [--root FOLDER]

A table is between <!-- results:FOLDER/TABLE --> and <!-- end -->. FOLDER is a study's folder in examples/ with a
report (FOLDER/results/report/report.md, from xalign transfer-report or the study's report.py), which has a
heading for each table; without a report the table says so. benchmarks/NAME is scripts/results/NAME.md, from
scripts/benchmark_NAME.py; benchmarks/MACHINE/NAME is the same from another
machine (--out scripts/results/MACHINE). peers.py and summaries.py write the tables in MADE from several files.
For figures and claims in prose see scripts/prose.py.
"""

import argparse
import re
import sys
from pathlib import Path

import markers
import peers
import prose
import summaries

from xalign_fairseq.core.errors import XalignError, exit_code

ROOT = Path(__file__).resolve().parent.parent
COMMAND = "python scripts/compile_results.py"
NOTHING = "No results yet."
REPORT = "results/report/report.md"
BENCHMARKS = "benchmarks"
MADE = {
    f"{BENCHMARKS}/peers": peers.table,
    f"{BENCHMARKS}/published": peers.published,
    f"{BENCHMARKS}/finetuning": summaries.finetuning,
    f"{BENCHMARKS}/training_speed": summaries.training_speed,
    f"{BENCHMARKS}/self_labelling": summaries.self_labelling,
}


def results_table(root: Path, name: str) -> str:
    """The text of a part by its name."""
    folder, _, table = name.rpartition("/")
    if name in MADE:
        return MADE[name](root) or NOTHING
    if name.startswith(f"{BENCHMARKS}/"):
        path = root / "scripts/results" / f"{name.removeprefix(f'{BENCHMARKS}/')}.md"
        return path.read_text(encoding="utf-8").strip("\n") if path.is_file() else NOTHING
    study = root / "examples" / folder
    if not any((study / each).exists() for each in ("studies", "report.py", REPORT)):
        expected = f"{BENCHMARKS}/NAME, or a study's folder and a heading of its report"
        raise XalignError("unknown results table", found=f"<!-- results:{name} -->", expected=expected)
    return study_table(study / REPORT, table)


def study_table(report: Path, heading: str) -> str:
    """The text under a heading of a report; the name is in lower case with ``-`` for spaces."""
    if not report.is_file():
        return NOTHING
    parts = re.split(r"^## (.*)$", report.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {re.sub(r"\W+", "-", title.lower()): text for title, text in zip(parts[1::2], parts[2::2], strict=True)}
    if heading not in found:
        raise XalignError("the report lacks a part", where=report, found=heading, expected=", ".join(found))
    return found[heading].strip("\n")


def write(root: Path, check: bool) -> int:
    """Write the tables of all documents in ``root``, or compare them; return 1 if a compared table is outdated."""
    pages = [
        page for page in sorted((root / "examples").rglob("*.md")) if "results" not in page.relative_to(root).parts
    ]
    documents = [root / "README.md", *sorted((root / "docs").rglob("*.md")), *pages]
    outdated = markers.update(documents, "results", lambda name: results_table(root, name), check, COMMAND)
    return outdated | prose.update(root, documents, check, COMMAND)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a table is outdated")
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder with README.md and examples")
    args = parser.parse_args()
    return exit_code(lambda: write(args.root, args.check))


if __name__ == "__main__":
    sys.exit(main())
