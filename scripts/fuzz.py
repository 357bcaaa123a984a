#!/usr/bin/env python3
"""Give every reader of the package altered files, and count what is not told as an error of the input.

usage: fuzz.py [--inputs 1000] [--seed 1] [--only NAME ...] [--processes N] [--out FOLDER]

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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from fuzz_readers import Reader, all_readers, alter_checkpoint, weird_number
from markers import table

from xalign_fairseq.errors import XalignError, exit_code
from xalign_fairseq.files import atomic_write, write_json
from xalign_fairseq.launch.record import commit

HERE = Path(__file__).resolve().parent
SECONDS = 10  # of computing for an answer; a busy machine may take longer
WAITING = 120  # seconds for an answer, whatever takes them
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


def work(reader: Reader, seed: int, numbers: range, found: Any) -> None:
    """The body of a process: every input, with what became of it."""
    prepare_process()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "input")
        for number in numbers:
            folder.mkdir()
            make(reader, seed, number, folder)
            found.put((reader.name, number, None))  # begun: whoever dies is known
            found.put((reader.name, number, outcome(reader, folder)))
            shutil.rmtree(folder)
    found.put((reader.name, None, None))


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


def fuzz(readers: list[Reader], inputs: int, seed: int, processes: int) -> dict[str, Counter[str]]:
    """What became of every input of every reader; falls with the number of the first input that had them."""
    counts: dict[str, Counter[str]] = {}
    firsts: dict[tuple[str, str], int] = {}
    for name, number, what in _outcomes(readers, inputs, seed, processes):
        firsts.setdefault((name, what), number)
        counts.setdefault(name, Counter())[what] += 1

    def told(name: str, what: str) -> str:
        return what if what in ("read", "refused") else f"{what} (--again {firsts[name, what]})"

    return {name: Counter({told(name, what): n for what, n in each.items()}) for name, each in counts.items()}


def _outcomes(readers: list[Reader], inputs: int, seed: int, processes: int) -> Iterator[tuple[str, int, str]]:
    context = multiprocessing.get_context("fork")  # examples and libraries are there already
    waiting, running = list(readers), {}
    while waiting or running:
        while waiting and len(running) < processes:
            _start(context, waiting.pop(0), seed, range(inputs), running)
        for name, (process, queue, reader, last) in list(running.items()):
            while not queue.empty() or process.is_alive():
                try:
                    _, number, what = queue.get(timeout=0.2)
                except Exception:
                    break
                if number is None:
                    process.join()
                    del running[name]
                    print(f"{name}: done", file=sys.stderr, flush=True)
                    break
                last = number
                running[name] = (process, queue, reader, last)
                if what is not None:
                    yield name, number, what
            if name in running and not process.is_alive() and queue.empty():
                yield name, last, f"the process died ({process.exitcode})"
                del running[name]
                _start(context, reader, seed, range(last + 1, inputs), running)


def _start(context: Any, reader: Reader, seed: int, numbers: range, running: dict[str, Any]) -> None:
    queue = context.Queue()
    process = context.Process(target=work, args=(reader, seed, numbers, queue), daemon=True)
    process.start()
    running[reader.name] = (process, queue, reader, numbers.start)


def render(result: dict[str, Any]) -> str:
    """The Markdown table and its note."""
    lines = []
    for name, counts in result["readers"].items():
        falls = {kind: n for kind, n in counts.items() if kind not in ("read", "refused")}
        told = "; ".join(f"{kind}: {n:,}" for kind, n in falls.items()) or "none"
        lines.append((name, f"{sum(counts.values()):,}", f"{counts.get('refused', 0):,}", told))
    total = sum(sum(counts.values()) for counts in result["readers"].values())
    note = f"{total:,} inputs, seed {result['seed']}, {result['minutes']} minutes; commit {result['commit']}; "
    note += f"`{result['command']}`"
    return f"{table(('format', 'inputs', 'refused', 'other exceptions, hangs, memory'), lines)}\n\n{note}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=1000, help="of each reader (default: 1000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", help="names of readers, or what they begin with")
    parser.add_argument("--again", type=int, help="one input, with its traceback; --only says of which reader")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=HERE / "results", help="folder for the results")
    args = parser.parse_args()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        readers = all_readers(Path(temporary))
        if args.only:
            readers = [each for each in readers if each.name.startswith(tuple(args.only))]
        if not readers:
            raise XalignError("there is no such reader", where="--only", found=args.only)
        if args.again is not None:
            folder = Path(temporary, "again")
            folder.mkdir()
            make(readers[0], args.seed, args.again, folder)
            prepare_process()
            readers[0].read(folder)
            return 0
        counts = fuzz(readers, args.inputs, args.seed, args.processes)
    given = f" --only {' '.join(args.only)}" if args.only else ""
    result = {
        "command": f"fuzz.py --inputs {args.inputs} --seed {args.seed}{given}",
        "commit": commit(Path(__file__)) or "unknown",
        "seed": args.seed,
        "minutes": round((time.monotonic() - begun) / 60, 1),
        "readers": {name: dict(each) for name, each in counts.items()},
    }
    write_json(args.out / "fuzz.json", result)
    with atomic_write(args.out / "fuzz.md") as out:
        out.write(render(result))
    print(render(result))
    return int(any(set(each) - {"read", "refused"} for each in counts.values()))


if __name__ == "__main__":
    sys.exit(exit_code(main))
