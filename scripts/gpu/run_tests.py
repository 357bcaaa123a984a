"""The stage tests: the tests that need a GPU, and how many of them passed.

usage: run_tests.py SOURCES FOLDER     writes FOLDER/tests.json

Fails if a test fails, and if none has passed: then nothing was verified.
"""

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

SLOWEST = 10


def run(sources: Path, folder: Path) -> int:
    """Run them; the exit code."""
    report = folder / "tests.xml"
    # Of the sources only the tests are taken; the package is the installed one. Slow ones, too: -m replaces "not slow".
    pytest = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "gpu", "--durations=10"]
    done = subprocess.run([*pytest, f"--junitxml={report}", str(sources / "tests")], cwd=sources, check=False)
    if not report.is_file():
        return done.returncode or 1
    found = count(report)
    (folder / "tests.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    report.unlink()
    return done.returncode or int(not found["passed"])


def count(report: Path) -> dict[str, Any]:
    """Numbers of passed, failed and skipped tests, the names of those that failed, reasons of skipping, the slowest."""
    cases = list(ElementTree.parse(report).iter("testcase"))
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skipped = {case: found for case in cases if (found := case.find("skipped")) is not None}
    slowest = sorted(cases, key=lambda case: -float(case.get("time", 0)))[:SLOWEST]
    return {
        "passed": len(cases) - len(failed) - len(skipped),
        "failed": [name(case) for case in failed],
        "skipped": sorted({f"{name(case)}: {found.get('message')}" for case, found in skipped.items()}),
        "slowest": {name(case): float(case.get("time", 0)) for case in slowest},
    }


def name(case: ElementTree.Element) -> str:
    """Module and test."""
    return f"{case.get('classname')}.{case.get('name')}"


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1]), Path(sys.argv[2])))
