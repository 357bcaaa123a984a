#!/usr/bin/env python3
"""Give every reader of the package altered files, and count failures other than input errors.

usage: fuzz.py [--inputs 1000] [--seed 1] [--only NAME ...] [--processes N] [--work FOLDER] [--out FOLDER]
       fuzz.py --only checkpoint --seed 1 --again 417        one input again, with its traceback

Each format has a valid example (fuzz_readers.py, fuzz_texts.py), which fuzz_alterations.py alters. A reader may accept
it or raise XalignError. Failures are any other exception, ten seconds of computing without an answer, more than 2 GB of
memory beyond the process's own, and a dead process. Writes OUT/fuzz.json and OUT/fuzz.md; exits with 1 after a failure.
--work keeps finished inputs.
"""

import argparse
import contextlib
import io
import logging
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from fuzz_alterations import alter
from fuzz_readers import all_readers
from fuzz_texts import Reader
from harness import RESULTS, about, write
from markers import table

from xalign_fairseq.core.errors import XalignError, exit_code

SECONDS = 10  # CPU seconds for an answer; a busy machine may take longer
WAITING = 120  # wall-clock seconds for an answer
RIGHT = ("read", "refused")
SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # elsewhere writing takes longer than reading
MEMORY = 2 << 30  # bytes beyond the process's memory at its start
FORK = multiprocessing.get_context("fork")  # children inherit examples and libraries


class Hang(BaseException):
    """No answer in time. Not an ``Exception``, so that no reader catches it."""


def make(reader: Reader, seed: int, number: int, folder: Path) -> None:
    """Write an input into an empty folder; reader, seed and number determine it."""
    rng = np.random.default_rng((seed, number, zlib.crc32(reader.name.encode())))
    names = list(reader.files)[: reader.altered]
    chosen = {names[int(rng.integers(len(names)))] for _ in range(int(rng.integers(1, 3)))}
    for name, content in reader.files.items():
        (folder / name).write_bytes(alter(content, name, rng) if name in chosen else content)


def outcome(reader: Reader, folder: Path) -> str:
    """``read``, ``refused``, or the exception and its place."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WAITING)
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            reader.read(folder)
        return "read"
    except XalignError:
        return "refused"
    except Hang:
        return f"no answer in {SECONDS} s"
    except Exception as error:
        place = [frame for frame in traceback.extract_tb(error.__traceback__) if "xalign_fairseq" in frame.filename]
        last = f"{Path(place[-1].filename).name}:{place[-1].lineno}" if place else "?"
        return f"{type(error).__name__} at {last}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def try_all(reader: Reader, seed: int, numbers: range, log: Path) -> None:
    """The body of a process: logs a line for every input, starting it before the input is read."""
    prepare_process()
    with tempfile.TemporaryDirectory(dir=SCRATCH) as temporary, open(log, "a", buffering=1) as out:
        for number in numbers:
            folder = Path(temporary, str(number))
            folder.mkdir()
            out.write(f"{number} ")
            out.flush()
            make(reader, seed, number, folder)
            out.write(f"{outcome(reader, folder)}\n")
            shutil.rmtree(folder)


def prepare_process() -> None:
    """No output, interruptible by alarms, and bounded in memory."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, _hang)
    signal.signal(signal.SIGALRM, _hang)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))


def _hang(*given: Any) -> None:
    raise Hang


def fuzz(readers: list[Reader], inputs: int, seed: int, processes: int, work: Path) -> dict[str, dict[str, int]]:
    """The result of every input of every reader; a failure has the number of the first input that caused it."""
    logs = {each.name: work / f"{seed}-{each.name.replace('/', '-')}.log" for each in readers}
    waiting, running = list(readers), list[tuple[Reader, Any]]()
    while waiting or running:
        for reader, process in list(running):
            if not process.is_alive():
                running.remove((reader, process))
                log = logs[reader.name]
                if not log.read_text().endswith("\n"):  # the process died in this input
                    with open(log, "a") as out:
                        out.write(f"the process died ({process.exitcode})\n")
                if len(outcomes(log)) < inputs:
                    waiting.insert(0, reader)
        while waiting and len(running) < processes:
            reader = waiting.pop(0)
            numbers = range(len(outcomes(logs[reader.name])), inputs)
            process = FORK.Process(target=try_all, args=(reader, seed, numbers, logs[reader.name]), daemon=True)
            process.start()
            running.append((reader, process))
        time.sleep(0.02)
    return {name: count(outcomes(log)[:inputs]) for name, log in logs.items()}


def outcomes(log: Path) -> list[str]:
    """The results of the inputs so far."""
    return [line.partition(" ")[2] for line in log.read_text().split("\n")[:-1]] if log.is_file() else []


def count(found: list[str]) -> dict[str, int]:
    """How many inputs were read, were refused, and failed."""
    return dict(Counter(each if each in RIGHT else f"{each} (--again {found.index(each)})" for each in found))


def render(result: dict[str, Any]) -> str:
    """The Markdown table and its note."""
    lines = []
    for name, counts in result["readers"].items():
        told = "; ".join(f"{kind}: {n:,}" for kind, n in counts.items() if kind not in RIGHT) or "none"
        lines.append((name, f"{sum(counts.values()):,}", f"{counts.get('refused', 0):,}", told))
    total = sum(sum(counts.values()) for counts in result["readers"].values())
    note = f"{total:,} inputs, seed {result['seed']}; commit {result['commit']}; `{result['command']}`"
    return f"{table(('format', 'inputs', 'refused', 'other exceptions, hangs, memory'), lines)}\n\n{note}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=1000, help="inputs for each reader (default: 1000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", help="names of readers, or their beginnings")
    parser.add_argument("--again", type=int, help="run input number N of the reader --only, with its traceback")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--work", type=Path, help="folder that keeps finished inputs")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        readers = all_readers(Path(temporary))
        if args.only:
            readers = [each for each in readers if each.name.startswith(tuple(args.only))]
        if not readers:
            raise XalignError("unknown reader", parameter="only", found=args.only)
        if args.again is not None:
            folder = Path(temporary, "again")
            folder.mkdir()
            make(readers[0], args.seed, args.again, folder)
            prepare_process()
            readers[0].read(folder)
            return 0
        work = args.work or Path(temporary, "work")
        work.mkdir(parents=True, exist_ok=True)
        counts = fuzz(readers, args.inputs, args.seed, args.processes, work)
    given = f" --only {' '.join(args.only)}" if args.only else ""
    result = about(f"fuzz.py --inputs {args.inputs} --seed {args.seed}{given}", seed=args.seed, readers=counts)
    write(args.out, "fuzz", result, render(result))
    return int(any(set(each) - set(RIGHT) for each in counts.values()))


if __name__ == "__main__":
    sys.exit(exit_code(main))
