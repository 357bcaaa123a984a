#!/usr/bin/env python3
"""Write the results tables of README.md, docs/ and the pages of examples/ from results files.

usage: compile_results.py [--check] [--root FOLDER]

A table is between <!-- results:FOLDER/TABLE --> and <!-- end -->. FOLDER is a study's folder in examples/ with a
report (FOLDER/results/report/report.md, from xalign transfer-report or the study's report.py), which has a
heading for each table; without a report the table says so. benchmarks/NAME is scripts/results/NAME.md, from
scripts/benchmark_NAME.py; benchmarks/MACHINE/NAME is the same from another
machine (--out scripts/results/MACHINE). peers.py and summaries.py write the tables in results_tables.MADE.
For figures and claims in prose see scripts/prose.py.
"""

import argparse
import sys
from pathlib import Path

import markers
import prose
from results_tables import results_table

from xalign_fairseq.core.errors import exit_code

ROOT = Path(__file__).resolve().parent.parent
COMMAND = "python scripts/compile_results.py"


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
