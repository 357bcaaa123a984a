"""The stage tests: the tests that need a GPU, and how many of them passed.

usage: python -P run_tests.py SOURCES FOLDER SECONDS [PROCESSES]     writes FOLDER/tests.json

Processes side by side (default: one for every two cores, and no more than 8) each run a part of the tests: most of
their time goes to the reference on the CPU and to starting programs. After the time limit no further test starts.
Fails if a test fails, if some were not begun, and if none has passed: then nothing was verified.
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
MOST_PROCESSES = 8  # all have a context on the one GPU


class Share:
    """A plugin of pytest: of all tests each ``of``-th is run, from number ``number`` on."""

    def __init__(self, number: int, of: int):
        self._which = slice(number, None, of)

    @pytest.hookimpl(trylast=True)  # of those that have the mark
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = items[self._which]


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


def run(sources: Path, folder: Path, seconds: float, processes: int) -> int:
    """Run them in processes side by side; 1 if anything is wrong."""
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
            print(f"{part.name} has written nothing and ended with exit code {code}", flush=True)
    together = merge(found)
    (folder / "tests.json").write_text(json.dumps(together, indent=1), encoding="utf-8")
    # A part may have no test at all (5), or only such as are skipped.
    bad = [code for code in codes if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)]
    return int(bool(bad or len(found) < processes or together["not_begun"] or not together["passed"]))


def run_share(sources: Path, folder: Path, seconds: float, share: str) -> int:
    """Run one part, as ``2/8``; pytest's exit code."""
    report, deadline = folder / "tests.xml", Deadline(seconds)
    os.chdir(sources)  # of which only the tests are taken; the package is the installed one
    # -m replaces "not slow" of pyproject.toml: slow ones run, too.
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
    """What :func:`count` says of parts, as of one."""
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
    """The files with such tests, the kernels' first; the others may need more than the kit has."""
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


def main() -> int:
    sources, folder, seconds = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), float(sys.argv[3])
    given = sys.argv[4] if len(sys.argv) > 4 else str(max(1, min(MOST_PROCESSES, (os.cpu_count() or 1) // 2)))
    if "/" in given:  # called by run
        return run_share(sources, folder, seconds, given)
    return run(sources, folder, seconds, int(given))


if __name__ == "__main__":
    sys.exit(main())
