#!/usr/bin/env python3
"""Kill commands at each of their file operations, run them again, and compare with an unkilled run.

usage: faults_operations.py [--kills 200] [--only NAME ...] [--work FOLDER] [--out FOLDER]

First, an audit hook (faults_hook/) lists a command's operations on files in its output folder: opening for writing,
renaming, removing, making folders and links, changing modes. Then, for each operation, the command runs, is killed with
all its processes just before it, and runs again. The second run must end without an error and leave the files of an
unkilled run. For checkpoints, parameters, optimizer state and place in the data are compared; for JSON and text files,
the parts that agree in two unkilled runs. With fewer kills than operations, each kind of operation on each file comes
first. --work keeps finished kills. Writes OUT/operations.json and OUT/operations.md; exits with 1 if a command failed
or a file differs.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from faults_runs import Run, leaves, make_inputs, operation_runs
from harness import about, write
from markers import table

from xalign_fairseq.core.errors import XalignError, exit_code
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.process import tail
from xalign_fairseq.trainer.train_record import commit

HERE = Path(__file__).resolve().parent
BUSY = "another process"  # the killed processes are still ending
COMPLETE = "the output is complete"  # message of xalign align for an output that it has finished
LIMIT, TOO_LONG = 600.0, 124  # seconds for a command, and its exit code if it takes longer
TIMED = re.compile(r"/(minutes|seconds|command|commit|began|sessions)\b")  # values that differ between runs
UNNAMED = re.compile(r"\d+-[0-9a-f]{12}|\d+")  # process, random part or number of a name


@dataclass
class Kill:
    """The result of a run that was killed at an operation.

    Attributes:
        run: the command's name.
        operation: the next operation.
        refused: the command's output when run again, if it failed.
        differs: files, or values of JSON files, that differ from an unkilled run.
        left: files that the unkilled run does not have.
        commit: of the sources.
    """

    run: str
    operation: str
    refused: str = ""
    differs: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    commit: str = ""


class Killed:
    """All kills of one command; all runs write ``work/out``, one after the other."""

    def __init__(self, run: Run, work: Path):
        self.run = run
        self.work = work / "operations" / run.name
        self.work.mkdir(parents=True, exist_ok=True)
        self.out, self.log = self.work / "out", self.work / "last.log"

    def expected(self) -> dict[str, Any]:
        """``operations`` of an unkilled run, and the content that two such runs share; made once."""
        known = self.work / "expected.json"
        if not known.is_file():
            found, operations = [], list[str]()
            for _ in range(2):
                self.new()
                code, operations = self.once(0)
                if code != 0:
                    raise XalignError("an unkilled run failed", where=self.run.name, found=tail(self.log))
                found.append(leaves(self.out))
            one, two = found
            same = {name: value for name, value in one.items() if two.get(name) == value}
            write_json(known, {"operations": operations, "same": same, "files": files(self.out)})
        return read_json(known)

    def new(self) -> None:
        """Prepare the output folder for the command."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        self.run.before(self.out)

    def once(self, number: int) -> tuple[int, list[str]]:
        """Run the command, killed at an operation (0: not); return the exit code and the operations before that."""
        record, pids = self.work / "record", self.work / "record.pids"
        record.write_text("")
        pids.write_text("")
        settings = json.dumps({"folder": str(self.out), "record": str(record), "number": number})
        path = os.pathsep.join([str(HERE / "faults_hook"), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {**os.environ, "XALIGN_FAULTS": settings, "PYTHONPATH": path}
        with open(self.log, "wb") as log:
            line, streams = self.run.command(self.out), {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            try:
                code = subprocess.run(line, env=environment, timeout=LIMIT, **streams).returncode
            except subprocess.TimeoutExpired:
                code = TOO_LONG
        return code, record.read_text(encoding="utf-8").splitlines()

    def kill(self, number: int) -> Kill:
        """Kill the command at an operation, run it again, and compare."""
        expected = self.expected()
        self.new()
        code, done = self.once(number)
        kill = Kill(self.run.name, done[-1] if done else f"operation {number}")
        if code != -signal.SIGKILL:
            kill.refused = f"it was not killed but exited with {code}: {tail(self.log, 3)}"
            return kill
        until = time.monotonic() + LIMIT
        while (code := self.once(0)[0]) != 0 and BUSY in tail(self.log) and time.monotonic() < until:
            time.sleep(0.2)
        if code != 0 and COMPLETE not in tail(self.log):
            kill.refused = f"exit code {code}: {tail(self.log, 4)}"
            return kill
        found = leaves(self.out)
        same = {name: value for name, value in expected["same"].items() if not TIMED.search(name)}
        kill.differs = [name for name, value in same.items() if found.get(name) != value][:5]
        kill.left = sorted({UNNAMED.sub("N", name) for name in files(self.out) if name not in expected["files"]})
        return kill

    def order(self) -> list[int]:
        """The order of the operations: the first of each kind on each file, then the second, and so on."""
        seen: dict[str, int] = {}
        turns = []
        for number, text in enumerate(self.expected()["operations"], 1):
            kind = UNNAMED.sub("N", text)
            seen[kind] = seen.get(kind, 0) + 1
            turns.append((seen[kind], number))
        return [number for _, number in sorted(turns)]


def files(folder: Path) -> list[str]:
    """All files and empty folders in a folder."""
    return sorted(
        str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir() or not any(path.iterdir())
    )


def kills(args: argparse.Namespace, work: Path) -> tuple[list[Kill], dict[str, int]]:
    """All kills, after those read from ``work``; and the number of operations of each command."""
    os.nice(10)
    make_inputs(work, lambda command: subprocess.run(command, check=True, stdout=subprocess.DEVNULL), args.pairs)
    chosen = [Killed(run, work) for name, run in operation_runs(work).items() if not args.only or name in args.only]
    orders = {each.run.name: each.order() for each in chosen}
    turns = [(turn, each, number) for each in chosen for turn, number in enumerate(orders[each.run.name])]
    turns.sort(key=lambda turn: turn[0])  # commands take turns
    found = []
    for _, each, number in turns[: args.kills]:
        path = each.work / f"kill-{number}.json"
        if not path.is_file():
            start = time.monotonic()
            kill = each.kill(number)
            kill.commit = commit(Path(__file__)) or "unknown"
            write_json(path, asdict(kill))
            outcome = kill.refused or (f"differs: {kill.differs}" if kill.differs else "the same")
            left = f", left: {kill.left}" if kill.left else ""
            seconds = time.monotonic() - start
            print(
                f"{each.run.name} {number}, {kill.operation}: {outcome}{left} ({seconds:.0f} s)",
                file=sys.stderr,
                flush=True,
            )
        found.append(Kill(**read_json(path)))
    return found, {name: len(order) for name, order in orders.items()}


def summary(found: Sequence[Kill], operations: dict[str, int]) -> list[dict[str, Any]]:
    """One row for each command."""
    rows = []
    for name, number in operations.items():
        own = [kill for kill in found if kill.run == name]
        counts = {what: sum(bool(getattr(kill, what)) for kill in own) for what in ("refused", "differs", "left")}
        rows.append({"run": name, "operations": number, "kills": len(own), **counts})
    return rows


def render(result: dict[str, Any]) -> str:
    """The Markdown table and its note."""
    rows = [
        (row["run"], *(f"{row[name]:,}" for name in ("operations", "kills", "refused", "differs", "left")))
        for row in result["rows"]
    ]
    total, commits = sum(row["kills"] for row in result["rows"]), " and ".join(result["commits"])
    head = ("file operations", "kills", "refused afterwards", "results that differ", "with files left over")
    return f"{table(('command', *head), rows)}\n\n{total} kills; commit {commits}; `{result['command']}`"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200, help="kills over all commands (default: 200)")
    parser.add_argument("--pairs", type=int, default=300, help="sentence pairs of the text (default: 300)")
    parser.add_argument("--only", nargs="+", help="only these commands")
    parser.add_argument("--work", type=Path, help="folder that keeps finished kills")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="folder for the results")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = (args.work or Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        found, operations = kills(args, work)
    given = f" --only {' '.join(args.only)}" if args.only else ""
    commits = list(dict.fromkeys(kill.commit for kill in found))
    bad = [asdict(kill) for kill in found if kill.refused or kill.differs or kill.left]
    result = {
        **about(f"faults_operations.py --kills {args.kills} --pairs {args.pairs}{given}"),
        "rows": summary(found, operations),
        "commits": commits,
        "bad": bad,
    }
    write(args.out, "operations", result, render(result))
    return int(any(kill.refused or kill.differs for kill in found))


if __name__ == "__main__":
    sys.exit(exit_code(main))
