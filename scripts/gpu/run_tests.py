"""The stage tests: the tests that need a GPU, and how many of them passed.

usage: python -P run_tests.py SOURCES FOLDER SECONDS     writes FOLDER/tests.json

After so many seconds no further test is begun. Fails if a test fails, if some were not begun, and if none has passed:
then nothing was verified.
"""

import json
import os
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

MARK = "pytest.mark.gpu"
SLOWEST = 10


class Deadline:
    """A plugin of pytest: no test begins after a time; how many are ``left`` then."""

    def __init__(self, seconds: float):
        self._end, self.left = time.monotonic() + seconds, 0

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.left = len(session.items)

    def pytest_runtest_logfinish(self) -> None:
        self.left -= 1

    def pytest_runtestloop(self, session: pytest.Session) -> None:
        self._session = session

    def pytest_runtest_teardown(self) -> None:
        if time.monotonic() > self._end:
            self._session.shouldstop = "there is no time left"


def run(sources: Path, folder: Path, seconds: float) -> int:
    """Run them; the exit code."""
    report, deadline = folder / "tests.xml", Deadline(seconds)
    os.chdir(sources)  # of which only the tests are taken; the package is the installed one
    # -m replaces "not slow" of pyproject.toml: slow ones run, too.
    options = ["-q", "-p", "no:cacheprovider", "-m", "gpu", f"--durations={SLOWEST}", f"--junitxml={report}"]
    code = int(pytest.main([*options, *files(Path("tests"))], plugins=[deadline]))
    if not report.is_file():
        return code or 1
    found = {**count(report), "not_begun": deadline.left}
    (folder / "tests.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    report.unlink()
    return code or int(not found["passed"] or bool(deadline.left))


def files(tests: Path) -> list[str]:
    """The files with such tests, the kernels' first. The others are not even imported: some need more than the kit has.

    Raises:
        SystemExit: there is none.
    """
    found = [str(path) for path in tests.rglob("test_*.py") if MARK in path.read_text(encoding="utf-8")]
    return sorted(found, reverse=True) or sys.exit(f"no file in {tests.resolve()} has {MARK}")


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
    sys.exit(run(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), float(sys.argv[3])))
