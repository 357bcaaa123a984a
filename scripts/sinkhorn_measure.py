#!/usr/bin/env python3
"""Measure what benchmark_sinkhorn.py compares, in a process of its own with a given number of threads.

usage: sinkhorn_measure.py times|memory|profile DEVICE THREADS OUT.json [--repeats N] [--only PROGRAM ...] [--quick]

times: the least time of each program on each size, all in turn, round after round, so that a drift of the machine hits
all alike. memory: what one call adds to the process's peak, for the programs named. profile: our own on the largest
batch, between marks that ncu and nsys start and stop at.
"""

import argparse
import ctypes
import gc
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from sinkhorn_contestants import CONTESTANTS, OURS, PRODUCTS, READ, Call, agreement, eager, labels_of, read
from sinkhorn_problems import Problem, Size, make

from xalign_fairseq.errors import XalignError
from xalign_fairseq.files import atomic_write
from xalign_fairseq.transport.options import TransportOptions
from xalign_fairseq.transport.sinkhorn import backend

SIZES = (Size(64, 32), Size(64, 64), Size(64, 128), Size(64, 128, ragged=True))
QUICK = (Size(64, 8), Size(64, 16, ragged=True))
LARGE = Size(2048, 64)  # on a GPU alone
ITERATIONS = (2, 50)
LOOPS = {"cpu": 1, "cuda": 10}  # calls between two looks at the clock
LEAST_ROUNDS, SECONDS = 3, 4.0  # a program that has had these takes no further round
WARM_UP = 3


def times(device: str, repeats: int, only: Sequence[str], quick: bool) -> list[dict[str, Any]]:
    """A row for each program, dtype, size and number of iterations: its seconds, and F1 of its links."""
    rows = []
    for size in QUICK if quick else SIZES:
        problems = {dtype: make(size, getattr(torch, dtype), device) for dtype in ("float32", "bfloat16")}
        for iterations in ITERATIONS:
            rows += _measure(size, problems, TransportOptions(iterations=iterations), device, repeats, only)
    for program, contestant in CONTESTANTS.items():
        if contestant.missing and (not only or program in only):
            rows.append({"program": program, "dtype": contestant.dtypes[0], "missing": contestant.missing})
    if device == "cuda":
        problems = {"bfloat16": make(LARGE, torch.bfloat16, device)}
        rows += _measure(LARGE, problems, TransportOptions(), device, repeats, only)
    return rows


def _measure(
    size: Size, problems: dict[str, Problem], options: TransportOptions, device: str, repeats: int, only: Sequence[str]
) -> list[dict[str, Any]]:
    large = size == LARGE
    torch.compiler.reset()
    truth = _truth(next(iter(problems.values())), options)
    rows, calls = [], []
    for program, dtype in _entrants(only, problems, large):
        problem, contestant = problems[dtype], CONTESTANTS[program]
        call = contestant.prepare(problem, options)
        for _ in range(WARM_UP):
            output = call()
        row = {"program": program, "gives": contestant.gives, "dtype": dtype, **describe(size, options)}
        if contestant.gives != PRODUCTS:
            row["f1"] = agreement(labels_of(contestant.gives, output, problem, options), truth)
            require_equal(row)
        rows.append(row)
        calls.append(call)
    if large:
        problem = problems["bfloat16"]
        rows.append({"program": READ, "gives": "copy", "dtype": "bfloat16", **describe(size, options)})
        calls.append(read(problem, options))
    for row, seconds in zip(rows, interleaved(calls, repeats, device), strict=True):
        row["seconds"] = seconds
        print(f"{row['program']} {row['dtype']} {row['size']} {options.iterations}: {seconds * 1e3:.2f} ms",
              file=sys.stderr)  # fmt: skip
    return rows


def _entrants(only: Sequence[str], dtypes: Any, large: bool) -> Iterator[tuple[str, str]]:
    for program, contestant in CONTESTANTS.items():
        if (not only or program in only) and contestant.missing is None and (contestant.large or not large):
            yield from ((program, dtype) for dtype in contestant.dtypes if dtype in dtypes)


def describe(size: Size, options: TransportOptions) -> dict[str, Any]:
    """Size and iterations in a row."""
    return {"size": size.name, "pairs": size.pairs, "iterations": options.iterations}


def _truth(problem: Problem, options: TransportOptions) -> torch.Tensor:
    """The labels by the definition in float64."""
    return eager(replace(problem, hidden=problem.hidden.double()), options)()


def require_equal(row: dict[str, Any]) -> None:
    """Raise XalignError if a program that computes the same has other links: its time would mean nothing."""
    least = (CONTESTANTS[row["program"]].least_f1 or {}).get(row["dtype"], 0.0)
    if row["f1"] < least:
        raise XalignError(
            "a program's links are not those of the definition in float64",
            where=f"{row['program']}, {row['dtype']}, {row['size']}, {row['iterations']} iterations",
            found=f"F1 {row['f1']:.4f}",
            expected=f"{least} or more",
        )


def interleaved(calls: Sequence[Call], repeats: int, device: str) -> list[float]:
    """The least seconds of each call, over rounds in which all take their turn; slow ones sit out the later rounds."""
    best, spent = [float("inf")] * len(calls), [0.0] * len(calls)
    for number in range(repeats):
        for at, call in enumerate(calls):
            if number >= LEAST_ROUNDS and spent[at] > SECONDS:
                continue
            call()  # brings back to the caches what the one before has driven out
            seconds = clocked(call, device)
            best[at], spent[at] = min(best[at], seconds), spent[at] + seconds
    return best


def clocked(call: Callable[[], Any], device: str) -> float:
    """Seconds of a call by the clock on the wall."""
    loops = LOOPS[device]
    _wait(device)
    start = time.perf_counter()
    for _ in range(loops):
        call()
    _wait(device)
    return (time.perf_counter() - start) / loops


def _wait(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def memory(device: str, only: Sequence[str], quick: bool) -> list[dict[str, Any]]:
    """A row for each of the programs, dtypes and sizes: what a call adds to the peak, in MB; none if it can't be told.

    The hidden states, and the sides where a program wants them, are there already.
    """
    rows = []
    for size in QUICK if quick else SIZES:
        for program, dtype in _entrants(only, ("float32", "bfloat16"), large=False):
            problem = make(size, getattr(torch, dtype), device)
            call = CONTESTANTS[program].prepare(problem, TransportOptions())
            call()
            row = {"program": program, "dtype": dtype, **describe(size, TransportOptions())}
            rows.append({**row, "extra_mb": extra_mb(call, device)})
    return rows


def extra_mb(call: Call, device: str) -> float | None:
    gc.collect()
    if device == "cuda":
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        call()
        return (torch.cuda.max_memory_allocated() - before) / 2**20
    if not sys.platform.startswith("linux"):
        return None
    ctypes.CDLL(None).malloc_trim(0)  # memory that is freed but kept would hide what the call needs
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = _status_kb("VmRSS")
    call()
    return (_status_kb("VmHWM") - before) / 2**10


def _status_kb(key: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{key}:"))


def profile(device: str, quick: bool) -> list[dict[str, Any]]:
    """Three calls of our own on the largest batch, marked for a profiler."""
    problem = make(QUICK[0] if quick else LARGE, torch.bfloat16, device)
    call = CONTESTANTS[OURS].prepare(problem, TransportOptions())
    for _ in range(WARM_UP):
        call()
    torch.cuda.synchronize()
    torch.cuda.cudart().cudaProfilerStart()
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    torch.cuda.cudart().cudaProfilerStop()
    return []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("times", "memory", "profile"))
    parser.add_argument("device", choices=tuple(LOOPS))
    parser.add_argument("threads", type=int)
    parser.add_argument("out", type=Path, help="JSON file to write")
    parser.add_argument("--repeats", type=int, default=20, help="rounds")
    parser.add_argument("--only", nargs="+", choices=CONTESTANTS, default=[], help="programs (default: all)")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to try it")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    backend.select(args.device)
    with torch.inference_mode():
        if args.what == "times":
            rows = times(args.device, args.repeats, args.only, args.quick)
        elif args.what == "memory":
            rows = memory(args.device, args.only, args.quick)
        else:
            rows = profile(args.device, args.quick)
    with atomic_write(args.out) as out:
        json.dump(rows, out)


if __name__ == "__main__":
    main()
