#!/usr/bin/env python3
"""Give every reader of the package altered files, and count what is not reported as an error of the input.

usage: fuzz.py [--inputs 1000] [--seed 1] [--only NAME ...] [--processes N] [--work FOLDER] [--out FOLDER]

Of each format there is a valid example (scripts/fuzz_readers.py). Its bytes are flipped, cut, doubled, moved and
replaced, also by what is known to hurt (long numbers, deep nesting, bytes that are no UTF-8, NUL, BOM); values in JSON
are replaced by such of other types; and so are tensors, names and options of checkpoints. A reader may take what it is
given, or raise XalignError. What counts as a fall: any other exception, ten seconds of computing without an answer,
more than 2 GB of memory beyond what the process had, a process that dies. Every input is named by reader, seed and
number, by which it is made again:

    fuzz.py --only checkpoint --seed 1 --again 417

Writes OUT/fuzz.json and the table OUT/fuzz.md; exits with 1 if anything fell.
"""

import argparse
import contextlib
import copy
import io
import json
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
from fuzz_checkpoints import alter_checkpoint, weird_number
from fuzz_readers import all_readers
from fuzz_texts import Reader
from markers import table

from xalign_fairseq.core.errors import XalignError, exit_code
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.trainer.record import commit

HERE = Path(__file__).resolve().parent
SECONDS = 10  # of computing for an answer; a busy machine may take longer
WAITING = 120  # seconds for an answer, whatever takes them
BEGUN, FELL = 1, 2
STATES = {"read": 3, "refused": 4}
"""Of an input in a process's memory: begun, fallen, or what is right; 0 before."""
SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # elsewhere files take longer than their readers
MEMORY = 2 << 30  # bytes beyond what a process has when it begins
HURTING = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"\r", b"\r\n", b"\t\t", b"-1", b"9" * 5000, b"1e999", b"NaN",
    b"[" * 3000, b"{" * 3000, b'"', b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"&a;", b"*x", b"&x [*x, *x]",
    b"!!python/none ", b"2001-01-01", b"\xf0\x9f\x98\x80", "\u2028".encode(), b"\x1a", b"%s%n", b"../../x", b" " * 3000,
)  # fmt: skip
HURTING_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 3.5, 2**31, 2**63, 10**30, 1e308, float("inf"), float("nan"), "", "x", "\x00",
    "\ud800", [], [[]], {}, {"a": 1}, [1, 2, 3], ["a", "b"], 10**6, "9" * 400,
)  # fmt: skip


class Hang(BaseException):
    """No answer in time; no ``except Exception`` of a reader takes it."""


def altered(reader: Reader, rng: np.random.Generator) -> dict[str, bytes]:
    """The files of an example, some of them altered."""
    files = dict(reader.files)
    names = list(files)[: reader.altered]
    for name in {names[int(rng.integers(len(names)))] for _ in range(int(rng.integers(1, 3)))}:
        files[name] = alter(files[name], name, rng)
    return files


def alter(content: bytes, name: str, rng: np.random.Generator) -> bytes:
    """One file, altered by its kind or byte by byte."""
    if name.endswith(".pt") and rng.random() < 0.7:
        return alter_checkpoint(content, rng)
    if content[:1] == b"{" and rng.random() < 0.6:
        return alter_json(content, rng)
    for _ in range(int(rng.integers(1, 5))):
        content = alter_bytes(content, rng)
    return content


def alter_bytes(content: bytes, rng: np.random.Generator) -> bytes:
    """One change of bytes."""
    at, other = sorted(int(rng.integers(len(content) + 1)) for _ in range(2))
    part = content[at : min(other, at + 200)]
    what = int(rng.integers(7))
    if what == 0 and content:  # a bit
        place = min(at, len(content) - 1)
        return content[:place] + bytes([content[place] ^ 1 << int(rng.integers(8))]) + content[place + 1 :]
    if what == 1:
        return content[:at]
    if what == 2:
        return content[:at] + content[at + len(part) :]
    if what == 3:
        return content[:at] + part * int(rng.integers(2, 5)) + content[at + len(part) :]
    if what == 4:
        return content[:at] + weird_number(rng)[: int(rng.choice([1, 4, 8]))] + content[at + 8 :]
    if what == 5:
        return content[:at] + rng.bytes(int(rng.integers(1, 9))) + content[at:]
    return content[:at] + HURTING[int(rng.integers(len(HURTING)))] + content[at:]


def alter_json(content: bytes, rng: np.random.Generator) -> bytes:
    """A JSON text with another value, or without one, somewhere."""
    whole = json.loads(content)
    for _ in range(int(rng.integers(1, 3))):
        container, key = whole, None
        while isinstance(container, dict | list) and container:
            keys = list(container) if isinstance(container, dict) else list(range(len(container)))
            key = keys[int(rng.integers(len(keys)))]
            if not isinstance(container[key], dict | list) or rng.random() < 0.25:
                break
            container = container[key]
        if key is None or not container:
            continue
        if rng.random() < 0.2:
            container.pop(key)
        else:
            container[key] = copy.deepcopy(HURTING_VALUES[int(rng.integers(len(HURTING_VALUES)))])
    return json.dumps(whole).encode("utf-8", "surrogatepass")


def make(reader: Reader, seed: int, number: int, folder: Path) -> None:
    """Write an input into an empty folder; the same for the same reader, seed and number."""
    rng = np.random.default_rng((seed, number, zlib.crc32(reader.name.encode())))
    for name, content in altered(reader, rng).items():
        (folder / name).write_bytes(content)


def outcome(reader: Reader, folder: Path) -> str:
    """``read``, ``refused``, or what fell and where."""
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


def try_all(reader: Reader, seed: int, numbers: range, states: Any, falls: Any) -> None:
    """The body of a process: every input, its state in shared memory, and the falls with their numbers."""
    prepare_process()
    with tempfile.TemporaryDirectory(dir=SCRATCH) as temporary:
        folder = Path(temporary, "input")
        for number in numbers:
            states[number] = BEGUN  # whoever dies is known
            folder.mkdir()
            make(reader, seed, number, folder)
            found = outcome(reader, folder)
            if found not in STATES:
                falls.put((number, found))
            states[number] = STATES.get(found, FELL)
            shutil.rmtree(folder)


def prepare_process() -> None:
    """Quiet, interrupted by the alarms, and bounded in memory."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, _hang)
    signal.signal(signal.SIGALRM, _hang)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))


def _hang(*given: Any) -> None:
    raise Hang


def fuzz(readers: list[Reader], inputs: int, seed: int, processes: int, work: Path) -> dict[str, dict[str, int]]:
    """What became of every input of every reader; falls with the number of the first input that had them.

    Args:
        readers: what is tried.
        inputs: of each.
        seed: of the inputs.
        processes: number of parallel readers.
        work: a folder that keeps what is found of a reader; those that are done there are not tried again.
    """

    def known(reader: Reader) -> Path:
        return work / f"{seed}-{inputs}-{reader.name.replace('/', '-')}.json"

    waiting, running = [each for each in readers if not known(each).is_file()], list[Trial]()
    while waiting or running:
        while waiting and len(running) < processes:
            running.append(Trial(waiting.pop(0), seed, inputs))
        for trial in list(running):
            if trial.ended():
                running.remove(trial)
                write_json(known(trial.reader), trial.counts())
                print(f"{trial.reader.name}: done", file=sys.stderr, flush=True)
        time.sleep(0.05)
    return {each.name: read_json(known(each)) for each in readers}


class Trial:
    """All inputs of a reader, in a process that is started again after the input at which it has died."""

    context = multiprocessing.get_context("fork")  # examples and libraries are there already

    def __init__(self, reader: Reader, seed: int, inputs: int):
        self.reader, self.seed = reader, seed
        self.states = self.context.RawArray("B", inputs)
        self.queue = self.context.SimpleQueue()  # without a thread, which could die before it has sent
        self.falls: dict[int, str] = {}
        self._start(0)

    def _start(self, first: int) -> None:
        given = (self.reader, self.seed, range(first, len(self.states)), self.states, self.queue)
        self.process = self.context.Process(target=try_all, args=given, daemon=True)
        self.process.start()

    def ended(self) -> bool:
        """Whether nothing is left to try."""
        alive = self.process.is_alive()  # asked first: what it has put is in the queue if it is not
        while not self.queue.empty():
            number, what = self.queue.get()
            self.falls[number] = what
        if alive:
            return False
        begun = [number for number, state in enumerate(self.states) if state == BEGUN]
        for number in begun:  # one at most
            self.falls[number], self.states[number] = f"the process died ({self.process.exitcode})", FELL
            self._start(number + 1)
        return not begun

    def counts(self) -> dict[str, int]:
        """How many inputs were read, refused and fell in which way."""
        found = Counter({name: sum(state == value for state in self.states) for name, value in STATES.items()})
        firsts: dict[str, int] = {}
        for number, what in sorted(self.falls.items()):
            found[f"{what} (--again {firsts.setdefault(what, number)})"] += 1
        return {name: count for name, count in found.items() if count}


def render(result: dict[str, Any]) -> str:
    """The Markdown table and its note."""
    lines = []
    for name, counts in result["readers"].items():
        falls = {kind: n for kind, n in counts.items() if kind not in ("read", "refused")}
        told = "; ".join(f"{kind}: {n:,}" for kind, n in falls.items()) or "none"
        lines.append((name, f"{sum(counts.values()):,}", f"{counts.get('refused', 0):,}", told))
    total = sum(sum(counts.values()) for counts in result["readers"].values())
    note = f"{total:,} inputs, seed {result['seed']}; commit {result['commit']}; "
    note += f"`{result['command']}`"
    return f"{table(('format', 'inputs', 'refused', 'other exceptions, hangs, memory'), lines)}\n\n{note}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=1000, help="of each reader (default: 1000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", help="names of readers, or what they begin with")
    parser.add_argument("--again", type=int, help="one input, with its traceback; --only says of which reader")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--work", type=Path, help="folder that keeps what is found; readers done there are not tried again"
    )
    parser.add_argument("--out", type=Path, default=HERE / "results", help="folder for the results")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        readers = all_readers(Path(temporary))
        if args.only:
            readers = [each for each in readers if each.name.startswith(tuple(args.only))]
        if not readers:
            raise XalignError("there is no such reader", parameter="only", found=args.only)
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
    result = {
        "command": f"fuzz.py --inputs {args.inputs} --seed {args.seed}{given}",
        "commit": commit(Path(__file__)) or "unknown",
        "seed": args.seed,
        "readers": counts,
    }
    write_json(args.out / "fuzz.json", result)
    with atomic_write(args.out / "fuzz.md") as out:
        out.write(render(result))
    print(render(result))
    return int(any(set(each) - {"read", "refused"} for each in counts.values()))


if __name__ == "__main__":
    sys.exit(exit_code(main))
