#!/usr/bin/env python3
"""Measure the contestants of benchmark_sinkhorn.py in a process with a given number of threads.

usage: sinkhorn_measure.py DEVICE THREADS OUT.json [--repeats N] [--only PROGRAM ...] [--brief] [--quick]

The median time of each program on each size. Programs take turns, round after round, so that a drift of the machine
affects all equally. The most important sizes come first, and results are written at once, so that the run can be ended
at any time.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import torch
from harness import Clock
from sinkhorn_contestants import CONTESTANTS, PRODUCTS, READ, Call, agreement, eager, labels_of, read
from sinkhorn_problems import LARGE, Problem, Size, make

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.sinkhorn import backend

SIZES = (Size(64, 32), Size(64, 64), Size(64, 128), Size(64, 128, ragged=True))
QUICK = (Size(64, 8), Size(64, 16, ragged=True))
FEW = (
    Size(64, 64),
    Size(16, 64),
    Size(4, 64),
    Size(1, 64),
)  # on a GPU, where starting kernels takes longer than running them
QUICK_FEW = (Size(4, 8),)
ITERATIONS = (2, 50)
LOOPS = {"cpu": 1, "cuda": 20}  # most calls per timing,
LOOP_SECONDS = 0.1  # and the time after which there are no more
LEAST_ROUNDS, SECONDS = 3, 4.0  # a program with these takes no further round
WARM_UP = 3


class Group(NamedTuple):
    """Programs that take turns: those of some kinds, for one size and number of iterations.

    ``label`` is in the rows of a separate table.
    """

    size: Size
    iterations: int
    kinds: Sequence[str]  # of sinkhorn_contestants.KINDS
    label: str | None = None
    dtypes: Sequence[str] = ("float32", "bfloat16")


def groups(device: str, quick: bool) -> list[Group]:
    """The groups of a device, the most important first; compiled programs come late on a GPU."""
    sizes = QUICK if quick else SIZES
    if device == "cpu":
        return [Group(size, iterations, ("usual", "compiled")) for iterations in ITERATIONS for size in sizes]
    large, few, narrow = QUICK[0] if quick else LARGE, QUICK_FEW if quick else FEW, ("bfloat16",)
    return [
        Group(large, 2, ("large",), "large", narrow),
        *(Group(size, 2, ("few",), "few", narrow) for size in few),
        Group(large, 2, ("compiled",), "large", narrow),
        *(Group(size, iterations, ("usual",)) for iterations in ITERATIONS for size in sizes),
        *(Group(size, 2, ("compiled",)) for size in sizes),
    ]


def times(
    device: str, repeats: int, only: Sequence[str], quick: bool, brief: bool = False
) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows so far, repeatedly: each program, dtype, size and number of iterations, its seconds and its F1.

    brief: compile nothing with many iterations, whose unrolled loop takes half a minute to compile.
    """
    rows: list[dict[str, Any]] = []
    missing = [
        {"program": program, "dtype": contestant.dtypes[0], "missing": contestant.missing}
        for program, contestant in CONTESTANTS.items()
        if contestant.missing and (not only or program in only)
    ]
    for group in groups(device, quick):
        if brief and group.iterations > ITERATIONS[0]:
            group = group._replace(kinds=[kind for kind in group.kinds if kind != "compiled"])
        rows = [*rows, *_measure(group, device, repeats, only)]
        yield [*rows, *missing]


def _measure(group: Group, device: str, repeats: int, only: Sequence[str]) -> list[dict[str, Any]]:
    size, options = group.size, Transport(iterations=group.iterations)
    torch.compiler.reset()
    problems = {dtype: make(size, getattr(torch, dtype), device) for dtype in group.dtypes}
    truth = _truth(next(iter(problems.values())), options)
    rows: list[dict[str, Any]] = []
    calls: list[tuple[dict[str, Any], Call]] = []
    for program, dtype in _entrants(only, problems, group.kinds, device):
        row = {"program": program, "gives": CONTESTANTS[program].gives, "dtype": dtype, **describe(size, options)}
        rows.append(row)
        try:
            calls.append((row, _prepared(row, problems[dtype], options, truth)))
        except Exception as error:  # measure the others
            row["failed"] = f"{type(error).__name__}: {error}"
            print(f"{program} {dtype} {size.name} is not measured: {row['failed']}", file=sys.stderr)
    if "large" in group.kinds:
        rows.append({"program": READ, "gives": "copy", "dtype": "bfloat16", **describe(size, options)})
        calls.append((rows[-1], read(problems["bfloat16"], options)))
    for (row, _), seconds in zip(calls, interleaved([call for _, call in calls], repeats, device), strict=True):
        row["seconds"] = seconds
        print(
            f"{row['program']} {row['dtype']} {row['pairs']} x {row['size']} {options.iterations}: "
            f"{seconds * 1e3:.3f} ms",
            file=sys.stderr,
        )
    return [{**row, "group": group.label} if group.label else row for row in rows]


def _prepared(row: dict[str, Any], problem: Problem, options: Transport, truth: torch.Tensor) -> Call:
    """The call to measure, after warming up and checking its links, whose F1 it adds to the row."""
    contestant = CONTESTANTS[row["program"]]
    call = contestant.prepare(problem, options)
    for _ in range(WARM_UP):
        output = call()
    if contestant.gives != PRODUCTS:
        row["f1"] = agreement(labels_of(contestant.gives, output, problem), truth)
        require_equal(row)
    return call


def _entrants(only: Sequence[str], dtypes: Any, kinds: Sequence[str], device: str) -> Iterator[tuple[str, str]]:
    for program, contestant in CONTESTANTS.items():
        if (not only or program in only) and contestant.missing is None and contestant.competes(kinds, device):
            yield from ((program, dtype) for dtype in contestant.dtypes if dtype in dtypes)


def describe(size: Size, options: Transport) -> dict[str, Any]:
    """Size and iterations in a row."""
    return {"size": size.name, "pairs": size.pairs, "iterations": options.iterations}


def _truth(problem: Problem, options: Transport) -> torch.Tensor:
    """The labels of the reference in float64."""
    return eager(replace(problem, hidden=problem.hidden.double()), options)()


def require_equal(row: dict[str, Any]) -> None:
    """Raise XalignError if a program for the same algorithm has other links: its time would mean nothing."""
    least = (CONTESTANTS[row["program"]].least_f1 or {}).get(row["dtype"], 0.0)
    if row["f1"] < least:
        raise XalignError(
            "a program's links differ from the reference in float64",
            where=f"{row['program']}, {row['dtype']}, {row['size']}, {row['iterations']} iterations",
            found=f"F1 {row['f1']:.4f}",
            expected=f"{least} or more",
        )


def interleaved(calls: Sequence[Call], repeats: int, device: str) -> list[float]:
    """The median seconds of each call, over rounds in which all take turns; slow calls have fewer rounds."""
    found: list[list[float]] = [[] for _ in calls]
    loops = [_loops(call, device) for call in calls]
    for number in range(repeats):
        if number >= LEAST_ROUNDS and sum(map(sum, found)) > SECONDS * len(calls):
            break
        for seconds, call, each in zip(found, calls, loops, strict=True):
            call()  # refills the caches after the previous program
            seconds.append(clocked(call, device, each))
    return list(map(median, found))


def _loops(call: Call, device: str) -> int:
    """The number of calls per timing: fewer for slower calls."""
    most = LOOPS[device]
    return 1 if most == 1 else max(1, min(most, int(LOOP_SECONDS / clocked(call, device))))


def clocked(call: Call, device: str, loops: int = 1) -> float:
    """Wall-clock seconds of a call."""
    clock = Clock(device)
    clock.of(lambda: [call() for _ in range(loops)])()
    return clock.seconds / loops


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("device", choices=tuple(LOOPS))
    parser.add_argument("threads", type=int)
    parser.add_argument("out", type=Path, help="JSON file to write")
    parser.add_argument("--repeats", type=int, default=20, help="rounds")
    parser.add_argument("--only", nargs="+", choices=CONTESTANTS, default=[], help="programs (default: all)")
    parser.add_argument("--brief", action="store_true", help="compile nothing with many iterations")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to try it")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    backend.select(args.device)
    with torch.inference_mode():
        for rows in times(args.device, args.repeats, args.only, args.quick, args.brief):
            with atomic_write(args.out) as out:
                json.dump(rows, out)


if __name__ == "__main__":
    main()
