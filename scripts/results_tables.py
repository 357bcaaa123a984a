"""The tables that <!-- results:NAME --> names: of a study's report, of scripts/results/, or made here."""

import re
from pathlib import Path

import peers
import summaries

from xalign_fairseq.core.errors import XalignError

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
