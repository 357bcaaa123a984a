"""A run that is interrupted and repeated until it ends, and compared with an undisturbed one."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from faults_runs import Run
from faults_warm import Forked, Warm

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.process import tail

HERE = Path(__file__).resolve().parent
COMPLETE = "the output is complete"  # says xalign align of an output that it has finished
IN_A_ROW = 4  # kills of a run before it may end
LIMIT = 300.0  # seconds that a command may take


@dataclass
class Trial:
    """The result of an interrupted run.

    Attributes:
        run: its name.
        fault: what befell it.
        times: how often.
        differs: the parts of the result that are not those of an unbroken run; what went wrong otherwise.
        said: how the run ended at the fault, for faults that it notices.
    """

    run: str
    fault: str
    times: int
    differs: list[str]
    said: str = ""


class Broken:
    """Trials of one run: an undisturbed one, for the expected result and duration, and interrupted ones.

    Args:
        run: the run.
        work: its folder: ``whole`` is the unbroken output, ``expected.json`` what is in it.
        warm: what starts it.
    """

    def __init__(self, run: Run, work: Path, warm: Warm):
        self.run, self.work, self.warm = run, work / run.name, warm
        self.work.mkdir(parents=True, exist_ok=True)
        self.log = self.work / "last.log"
        self.seconds = LIMIT  # that a run takes, as far as is known

    def expected(self) -> dict[str, Any]:
        """``result``, ``seconds`` and ``first`` (when the output began) of an unbroken run; made once."""
        known = self.work / "expected.json"
        if not known.is_file():
            out = self.new("whole")
            begun = time.monotonic()
            process = self.start(self.run.command(out))
            first = begun
            while process.poll() is None:
                if first == begun and any(out.iterdir()):
                    first = time.monotonic()
                time.sleep(0.01)
            seconds = time.monotonic() - begun
            self.require(process.returncode == 0, "an unbroken run failed")
            write_json(known, {"result": self.run.result(out), "seconds": seconds, "first": first - begun})
        found = read_json(known)
        self.seconds = min(self.seconds, found["seconds"])
        return found

    def new(self, name: str) -> Path:
        """An empty output folder."""
        out = self.work / name
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        return out

    def start(self, command: Sequence[str], **limits: Any) -> Forked:
        """Start a command in a session of its own; what it says goes to the log."""
        return self.warm.start(command, self.log, **limits)

    def finish(self, out: Path, command: Sequence[str] | None = None) -> list[str]:
        """Give the command again until it has ended; what differs from the unbroken run."""
        until = time.monotonic() + LIMIT
        while True:
            process = self.start(command or self.run.command(out))
            code = ended(process)
            if code == 0 or COMPLETE in tail(self.log):
                break
            # What a killed driver had started is being ended, and still holds the folder.
            if "another process is writing this" in tail(self.log) and time.monotonic() < until:
                time.sleep(0.5)
                continue
            return [f"given again, it ended with {code}: {tail(self.log, 3)}"]
        return differences(self.expected()["result"], self.run.result(out))

    def kill(self, rng: np.random.Generator, name: str) -> Trial:
        """Kill at random moments up to :data:`IN_A_ROW` times, and finish."""
        expected, out, times = self.expected(), self.new(name), 0
        wanted = int(rng.integers(1, IN_A_ROW + 1))
        while times < wanted:
            begun, process = time.monotonic(), self.start(self.run.command(out))
            wait(process, rng.uniform(0.7 * expected["first"], self.seconds))
            if process.poll() is not None:
                if process.returncode == 0 or COMPLETE in tail(self.log):
                    if not times:  # quicker than the first one, when the machine may have been busy
                        self.seconds = min(self.seconds, time.monotonic() - begun)
                    break
                if "another process is writing this" not in tail(self.log):
                    return Trial(
                        self.run.name, "killed", times, [f"it ended with {process.returncode}: {tail(self.log, 3)}"]
                    )
                time.sleep(0.5)
                continue
            times += 1
            if problem := strike(process, rng):
                return Trial(self.run.name, "killed", times, [problem])
        trial = Trial(self.run.name, "killed", times, self.finish(out))
        if not trial.differs:
            shutil.rmtree(out)
        return trial

    def aim(self, point: str, number: int, name: str) -> Trial:
        """Kill at a point of writing a checkpoint, and finish."""
        out = self.new(name)
        process = self.start(aimed(self.run.command(out), point, number))
        code = ended(process)
        fault = f"killed: {point}"
        if code != -signal.SIGKILL:
            return Trial(self.run.name, fault, 0, [f"it was not killed, but ended with {code}: {tail(self.log, 3)}"])
        trial = Trial(self.run.name, fault, 1, self.finish(out))
        if not trial.differs:
            shutil.rmtree(out)
        return trial

    def require(self, holds: bool, what: str) -> None:
        """:class:`XalignError` with the end of the log, if something does not hold."""
        if not holds:
            raise XalignError(what, where=self.run.name, found=f"the end of its output:\n{tail(self.log)}")


def aimed(command: Sequence[str], point: str, number: int) -> list[str]:
    """fairseq-train's command, to meet a fault."""
    options = command[next(i for i, each in enumerate(command) if each.startswith("from fairseq_cli")) + 1 :]
    return [sys.executable, str(HERE / "faults_aimed.py"), point, str(number), *options]


def differences(expected: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """The names of the parts that are not the same."""
    return [name for name in sorted({*expected, *found}) if expected.get(name) != found.get(name)]


def wait(process: Forked, seconds: float) -> None:
    """Wait so long at most."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def ended(process: Forked, seconds: float = LIMIT) -> int | str:
    """The exit code, or that there was none in time."""
    wait(process, seconds)
    if process.poll() is None:
        for each in [process.pid, *descendants(process.pid)]:
            send(each, signal.SIGKILL)
        process.wait()
        return f"no end in {seconds:.0f} s"
    return process.returncode


def strike(process: Forked, rng: np.random.Generator) -> str:
    """SIGKILL to the process, to all that it has started too, or to one of these; what is wrong then."""
    others = descendants(process.pid)
    victims = [[process.pid], [process.pid, *others], others[-1:]]
    for each in victims[int(rng.integers(3 if others else 1))]:
        send(each, signal.SIGKILL)
    code = ended(process, 60)
    return code if isinstance(code, str) else ""


def send(process: int, number: int) -> None:
    """A signal, if the process is there."""
    with suppress(ProcessLookupError):
        os.kill(process, number)


def descendants(process: int) -> list[int]:
    """All descendants of a process, from Linux."""
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = [int(each) for each in task.read_text().split()]
        except OSError:  # ended
            continue
        found += [each for child in children for each in (child, *descendants(child))]
    return found
