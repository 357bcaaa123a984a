"""Faults of the runs of scripts/faults.py besides SIGKILL: each case interrupts a run in its way."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from faults_runs import all_runs
from faults_trials import Broken, Trial, aimed, descendants, ended, send
from faults_warm import Forked

from xalign_fairseq.core.locks import LOCK

TRAINS = re.compile(r"\bnum_updates\W+([89]|[1-9]\d)\b")  # in a log, as JSON or as text
PATIENCE = 120.0  # seconds to wait for the end of a signalled run
REQUEUE = 75
TERMINATED = 143  # what a shell says of a process that SIGTERM has ended, and what xalign's commands end with


@dataclass(frozen=True)
class Case:
    """A fault, and the run that it befalls.

    Attributes:
        run: its name.
        fault: in words.
        breaks: starts the run in an empty folder and breaks it off; its exit code.
        expected: the exit codes that are right; None for all but 0.
    """

    run: str
    fault: str
    breaks: Callable[[Broken, Path], int | str]
    expected: tuple[int, ...] | None = None

    def trial(self, broken: Broken) -> Trial:
        """Break a run off and finish it."""
        broken.expected()
        out = broken.new("case")
        code = self.breaks(broken, out)
        said = heard(broken.log, code)
        right = code != 0 and not isinstance(code, str) if self.expected is None else code in self.expected
        if not right:
            return Trial(self.run, self.fault, 1, [f"it ended with {code}"], said)
        return Trial(self.run, self.fault, 1, broken.finish(out), said)


def heard(log: Path, code: int | str) -> str:
    """The end of a run: its error, if any, and its exit code."""
    text = log.read_text(encoding="utf-8", errors="replace")
    errors = [line.removeprefix("error: ") for line in text.splitlines() if line.startswith("error: ")]
    last = re.findall(r"^(?:\w+\.)*(\w+(?:Error|Exception): .*)", text, re.MULTILINE)
    told = (errors or last)[-1:]
    return "; ".join([*(each[:120] for each in told), f"exit code {code}"])


def all_cases(work: Path) -> dict[str, Case]:
    """Every case by its name."""
    terminated = _signalled(signal.SIGTERM)
    found = {f"sigterm-{name}": Case(name, "SIGTERM", terminated, (TERMINATED,)) for name in all_runs(work)}
    return {
        **found,
        "sigterm-fairseq-train": Case("fairseq-train", "SIGTERM", terminated, (-signal.SIGTERM,)),
        "sigusr1": Case("fairseq-train", "SIGUSR1", _signalled(signal.SIGUSR1), (REQUEUE,)),
        "nan": Case("fairseq-train", "losses that are no numbers from update 13 on", _nan),
        "disk-fairseq-train": Case("fairseq-train", "disk full", _disk_full),
        "disk-prepare": Case("prepare", "disk full", _disk_full),
        "disk-align": Case("align", "disk full", _disk_full),
        "disk-train-aligner": Case("train-aligner", "disk full", _disk_full),
        "worker-fairseq-train": Case("fairseq-train", "a worker that reads data killed", _worker("--num-workers", "2")),
        "text-align": Case("align", "text changed, then put back", _text_changed),
        "data-fairseq-train": Case("fairseq-train", "data cut short under the run, then put back", _data_cut),
    }


def _working(broken: Broken, process: Forked, out: Path) -> None:
    """Wait until a run is in the middle of its work: at its eighth update or later, or with a part of its output."""

    def working() -> bool:
        if broken.run.trains:
            return any(TRAINS.search(log.read_text()) for log in (broken.log, *out.rglob("train.log")))
        return any(path.is_file() and path.stat().st_size for path in out.rglob("*") if LOCK not in path.name)

    until = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < until:
        with suppress(FileNotFoundError):  # what was there has been renamed meanwhile
            if working():
                return
        time.sleep(0.02)


def _signalled(number: int) -> Callable[[Broken, Path], int | str]:
    def breaks(broken: Broken, out: Path) -> int | str:
        process = broken.start(broken.run.command(out))
        _working(broken, process, out)
        send(process.pid, number)
        return ended(process, PATIENCE)

    return breaks


def _nan(broken: Broken, out: Path) -> int | str:
    return ended(broken.start(aimed(broken.run.command(out), "nan", 13)))


def _disk_full(broken: Broken, out: Path) -> int | str:
    """A file system of half the size that the output has; without the right to mount one, files of half the size."""
    sizes = [path.stat().st_size for path in (broken.work / "whole").rglob("*") if path.is_file()]
    with _small_disk(out, sum(sizes) // 2) as mounted:
        limit = {} if mounted else {"file_size": max(sizes) // 2}
        code = ended(broken.start(broken.run.command(out), **limit))
        left = out.with_name("left")
        shutil.rmtree(left, ignore_errors=True)
        shutil.copytree(out, left)
    shutil.rmtree(out)
    left.rename(out)
    return code


@contextmanager
def _small_disk(folder: Path, size: int) -> Iterator[bool]:
    """A tmpfs at a folder; whether there is one."""
    options = ["-t", "tmpfs", "-o", f"size={max(size, 1 << 14)}", "tmpfs", str(folder)]
    mounted = os.geteuid() == 0 and subprocess.run(["mount", *options], capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


def _worker(option: str, number: str) -> Callable[[Broken, Path], int | str]:
    def breaks(broken: Broken, out: Path) -> int | str:
        command = [*broken.run.command(out), option, number]
        process = broken.start(command)
        until = time.monotonic() + PATIENCE
        workers: list[int] = []
        while len(workers) < int(number) and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
            workers = [each for each in descendants(process.pid) if _computes(each)]
        for each in workers[-1:]:
            send(each, signal.SIGKILL)
        return ended(process, PATIENCE)

    return breaks


def _computes(process: int) -> bool:
    """Whether a child works, and does not only watch over others, as multiprocessing's tracker of resources does."""
    try:
        return b"resource_tracker" not in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def _text_changed(broken: Broken, out: Path) -> int | str:
    """Killed in its middle; then the first word of the source text is another, and the same command must refuse."""
    command = broken.run.command(out)
    at = command.index("--src") + 1
    source, kept = Path(command[at]), out.with_name("kept")
    process = broken.start(command)
    until = time.monotonic() + PATIENCE
    while not list(out.glob("links.part")) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    send(process.pid, signal.SIGKILL)
    ended(process)
    shutil.copy2(source, kept)
    try:
        with open(source, "r+") as stream:
            stream.write("X")
        return ended(broken.start(command))
    finally:
        shutil.copy2(kept, source)


def _data_cut(broken: Broken, out: Path) -> int | str:
    """The ids lose their second half while they are trained on; then the same command must refuse."""
    command = broken.run.command(out)
    data = next(Path(each) for each in command if each.endswith("/data-bin"))
    (file,) = data.glob("train.en-de.de.bin")
    kept = out.with_name("kept")
    process = broken.start(command)
    _working(broken, process, out)
    shutil.copy2(file, kept)
    try:
        os.truncate(file, file.stat().st_size // 2)
        if ended(process, PATIENCE) == 0:
            return 0
        return ended(broken.start(command))
    finally:
        shutil.copy2(kept, file)
