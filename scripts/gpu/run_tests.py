"""The stage tests: run the tests that need a GPU, and count those that pass.

usage: python -P run_tests.py SOURCES FOLDER SECONDS [PROCESSES]     writes FOLDER/tests.json

Parallel processes (default: one for every two cores, at most 8) each run a part of the tests, because
most of the time goes to the CPU reference and to starting programs. After the time limit no further test starts.
Fails if a test fails, if some did not start, or if none has passed.
"""

import json
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

MARK = "pytest.mark.gpu"
SLOWEST = 10
MOST_PROCESSES = 8  # each has a context on the only GPU


class Share:
    """A plugin of pytest: runs every ``of``-th test, from number ``number`` on."""

    def __init__(self, number: int, of: int):
        self._which = slice(number, None, of)

    @pytest.hookimpl(trylast=True)  # after the selection by mark
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = items[self._which]


class Deadline:
    """A plugin of pytest: starts no test after a time, and counts those ``left``."""

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
            self._session.shouldstop = "time is over"


def run(sources: Path, folder: Path, seconds: float, processes: int) -> int:
    """Run the parts in parallel processes; return 1 after any failure."""
    folders = [folder / f"part{number}" for number in range(processes)]
    running = []
    for number, part in enumerate(folders):
        part.mkdir(parents=True, exist_ok=True)
        (part / "tests.json").unlink(missing_ok=True)
        command = [sys.executable, "-P", __file__, str(sources), str(part), str(seconds), f"{number}/{processes}"]
        with open(part / "log", "w") as log:
            environment = {"OMP_NUM_THREADS": "2", **os.environ}
            running.append(subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment))
    codes = [process.wait() for process in running]
    found = []
    for part, code in zip(folders, codes, strict=True):
        print((part / "log").read_text(errors="replace"), flush=True)
        if (part / "tests.json").is_file():
            found.append(json.loads((part / "tests.json").read_text(encoding="utf-8")))
        else:
            print(f"{part.name} wrote nothing and ended with exit code {code}", flush=True)
    together = merge(found)
    (folder / "tests.json").write_text(json.dumps(together, indent=1), encoding="utf-8")
    # A part may have no tests (5), or only skipped ones.
    bad = [code for code in codes if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)]
    return int(bool(bad or len(found) < processes or together["not_begun"] or not together["passed"]))


def run_share(sources: Path, folder: Path, seconds: float, share: str) -> int:
    """Run one part, such as ``2/8``; return pytest's exit code."""
    report, deadline = folder / "tests.xml", Deadline(seconds)
    os.chdir(sources)  # only for its tests; the package is the installed one
    # -m replaces "not slow" of pyproject.toml, so that slow tests run, too.
    options = ["-q", "-p", "no:cacheprovider", "-m", "gpu", f"--durations={SLOWEST}", f"--junitxml={report}"]
    options.append(f"--basetemp={folder / 'work'}")
    number, of = map(int, share.split("/"))
    code = int(pytest.main([*options, *files(Path("tests"))], plugins=[Share(number, of), deadline]))
    if report.is_file():
        found = {**count(report), "not_begun": deadline.left}
        (folder / "tests.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
        report.unlink()
    return code


def merge(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The combined :func:`count` of all parts."""
    parts = list(parts)
    slowest = sorted((each for part in parts for each in part["slowest"].items()), key=lambda each: -each[1])
    return {
        "passed": sum(part["passed"] for part in parts),
        "failed": sorted(name for part in parts for name in part["failed"]),
        "skipped": sorted(text for part in parts for text in part["skipped"]),
        "slowest": dict(slowest[:SLOWEST]),
        "not_begun": sum(part["not_begun"] for part in parts),
    }


def files(tests: Path) -> list[str]:
    """The files with GPU tests, the kernels' first; other files may need more than the kit has."""
    found = [str(path) for path in tests.rglob("test_*.py") if MARK in path.read_text(encoding="utf-8")]
    return sorted(found, reverse=True) or sys.exit(f"no file in {tests.resolve()} has {MARK}")


def count(report: Path) -> dict[str, Any]:
    """Numbers of passed, failed and skipped tests, names of failed ones, reasons of skipping, the slowest tests."""
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


def main() -> int:
    sources, folder, seconds = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), float(sys.argv[3])
    given = sys.argv[4] if len(sys.argv) > 4 else str(max(1, min(MOST_PROCESSES, (os.cpu_count() or 1) // 2)))
    if "/" in given:  # started by run
        return run_share(sources, folder, seconds, given)
    return run(sources, folder, seconds, int(given))


if __name__ == "__main__":
    sys.exit(main())
