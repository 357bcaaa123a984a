"""Shared by all benchmarks: contestants in turn, medians, a results file with its origin, a table.

Example::

    found = in_turn({"ours": ours, "theirs": theirs}, rounds=5)
    write(Path("results"), "mine", {**about("benchmark_mine.py", seed=1), "seconds": found}, table(("", "s"), rows))
"""

import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from markers import table as table  # the table format of write

from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.trainer.train_record import commit, machine

RESULTS = Path(__file__).resolve().parent / "results"


def in_turn(
    contestants: Mapping[str, Callable[[], Any]],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
    warm_up: int = 1,
) -> dict[str, list[float]]:
    """Seconds of each contestant in each round, after ``warm_up`` rounds that do not count.

    The contestants take turns in each round, so that other load of the machine affects all equally.
    """
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(-warm_up, rounds):
        for name, call in contestants.items():
            begin = clock()
            call()
            if number >= 0:
                seconds[name].append(clock() - begin)
    return seconds


def about(command: Sequence[str] | str, device: str = "cpu", packages: Sequence[str] = (), **more: Any) -> dict:
    """The origin of a results file: command, commit, machine, versions, and ``more`` such as the seed."""
    text = command if isinstance(command, str) else shlex.join(map(str, command))
    found = {name: number for name in packages if (number := installed(name))}
    versions = {"versions": found} if found else {}
    return {"command": text, "commit": commit() or "unknown", "machine": processor(device), **versions, **more}


def write(folder: Path, name: str, results: Any, text: str) -> None:
    """Write ``FOLDER/NAME.json`` and the table ``FOLDER/NAME.md``, and print the table."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / f"{name}.json", results)
    write_text(folder / f"{name}.md", text)
    print(text)


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    with atomic_write(path) as out:
        out.write(text)


def processor(device: str) -> str:
    """The model of the CPU, or of the GPU."""
    if device == "cuda":
        return machine()
    info = Path("/proc/cpuinfo")
    named = [line for line in info.read_text().splitlines() if line.startswith("model name")] if info.exists() else []
    return named[0].split(": ")[1] if named else machine(cpu=True)


def installed(package: str) -> str | None:
    """A package's version, or None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def peak_mb() -> float:
    """The peak memory of this process, in MB.

    Linux's own figure (ru_maxrss) also counts its parent process.
    """
    status = Path("/proc/self/status")
    found = [line for line in (status.read_text().splitlines() if status.exists() else []) if line.startswith("VmHWM")]
    return int(found[0].split()[1]) / 2**10 if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


class Clock:
    """Adds up the seconds of calls; on a GPU, of the work that they start."""

    def __init__(self, device: str):
        self.device = device
        self.seconds = 0.0

    def now(self) -> float:
        if self.device == "cuda":
            import torch

            torch.cuda.synchronize()
        return time.perf_counter()

    def of(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with a timer."""

        def clocked(*given: Any, **named: Any) -> Any:
            start = self.now()
            found = function(*given, **named)
            self.seconds += self.now() - start
            return found

        return clocked


def sample_data(work: Path) -> Path:
    """A data-bin of the embedded sample: two language pairs and monolingual text."""
    text, made, xalign = work / "text", work / "data-bin", Path(sys.executable).with_name("xalign")
    sample = [xalign, "sample", "--out", text, "--pairs", 2000, "--valid", 1, "--test", 1]
    prepare = [xalign, "prepare", "--out", made, "--vocab-size", 2000]
    for pair in ("en-de", "en-fr"):
        prepare += ["--pair", pair, "--trainpref", text / pair / "train"]
    for language in ("en", "de", "fr"):
        prepare += ["--mono", f"{language}={text}/mono/train.{language}"]
    for command in (sample, prepare):
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
    return made
