#!/usr/bin/env python3
"""Measure the CPU time that --statistics adds to xalign align, and the memory of plain align by number of pairs.

usage: benchmark_align_cost.py --src FILE --tgt FILE [--pairs 700] [--methods grow scored] [--sizes 100 2100 6000]
                               [--rounds 3] [--out FOLDER]

Runs complete commands, with start-up, on one thread and the first lines of the files. With --statistics a command
learns from the pairs that it links. Commands of a method take turns for --rounds; medians count. Writes
OUT/statistics_cost.json and .md, and OUT/align_memory.json and .md.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from harness import RESULTS, about, in_turn, table, write

from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.text.lines import read_lines

PROGRAM = Path(sys.executable).with_name("xalign")
COST, MEMORY = "statistics_cost", "align_memory"


class Commands:
    """Runs of ``xalign align`` on the first pairs of a text, in a folder ``work``."""

    def __init__(self, src: Path, tgt: Path, work: Path):
        self._text, self._work = (src, tgt), work
        self.seconds = 0.0

    def align(self, pairs: int, *options: str) -> float:
        """The peak memory of one command in MB; adds its CPU seconds to ``seconds``."""
        with tempfile.TemporaryDirectory(dir=self._work) as folder:
            sides = [Path(folder, name) for name in ("src", "tgt")]
            for path, side in zip(self._text, sides, strict=True):
                with atomic_write(side) as out:
                    out.writelines(f"{line}\n" for line in islice(read_lines(path), pairs))
            given = [PROGRAM, "align", *sides, "--quiet", "--device", "cpu", "--out", Path(folder, "links"), *options]
            child = subprocess.Popen(list(map(str, given)), env={**os.environ, "OMP_NUM_THREADS": "1"})
            _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise subprocess.CalledProcessError(child.returncode, child.args)
        self.seconds += used.ru_utime + used.ru_stime
        return used.ru_maxrss / 2**10


def cost(commands: Commands, methods: Sequence[str], pairs: int, rounds: int) -> dict[str, list[list[float]]]:
    """CPU seconds of each method: align, and align --statistics."""
    calls = {}
    for method in methods:
        for more in ((), ("--statistics",)):
            calls[" ".join((method, *more))] = partial(commands.align, pairs, "--method", method, *more)
    found = in_turn(calls, rounds, clock=lambda: commands.seconds, warm_up=0)
    return {method: [found[method], found[f"{method} --statistics"]] for method in methods}


def memory(commands: Commands, sizes: Sequence[int], rounds: int) -> dict[str, dict[str, list[float]]]:
    """Peak MB and CPU seconds of plain align, by the number of pairs."""
    found: dict[str, dict[str, list[float]]] = {"peak_mb": {}, "cpu_seconds": {}}
    for _ in range(rounds):
        for size in sizes:
            start, peak = commands.seconds, commands.align(size)
            for name, value in (("peak_mb", peak), ("cpu_seconds", commands.seconds - start)):
                found[name].setdefault(str(size), []).append(value)
    return found


def cost_table(found: Mapping[str, Any]) -> str:
    """Seconds of both commands, and their ratio."""
    rows = []
    for method, both in found["cpu_seconds"].items():
        plain, scored = map(median, both)
        rows.append((method, f"{plain:.1f}", f"{scored:.1f}", f"{scored / plain:.2f}"))
    head = ("method", "align, CPU s", "with --statistics, CPU s", "times")
    text = f"Whole commands with start-up, which learn from and link the same {found['pairs']:,} pairs"
    return f"{table(head, rows)}\n\n{text}; {made(found)}\n"


def memory_table(found: Mapping[str, Any]) -> str:
    """Peak memory and CPU time by the number of pairs."""
    rows = [
        (f"{int(size):,}", f"{median(peaks):,.0f} MB", f"{median(found['cpu_seconds'][size]):.1f}")
        for size, peaks in found["peak_mb"].items()
    ]
    made_by = f"`xalign align` with the default model; {made(found)}"
    return f"{table(('pairs', 'peak memory', 'CPU s'), rows)}\n\n{made_by}\n"


def made(found: Mapping[str, Any]) -> str:
    """How it was measured."""
    return f"medians of {found['rounds']} rounds in turn, one thread of {found['machine']}. Commit {found['commit']}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--src", type=Path, required=True, help="text, one sentence per line")
    parser.add_argument("--tgt", type=Path, required=True, help="its translation")
    parser.add_argument("--pairs", type=int, default=700, help="pairs for the cost of --statistics")
    parser.add_argument("--methods", nargs="+", default=["grow", "scored"], help="of linking")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 2100, 6000], help="pairs for plain align")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of all commands")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        commands = Commands(args.src, args.tgt, Path(folder))
        facts = about([Path(sys.argv[0]).name, *(arguments or sys.argv[1:])], rounds=args.rounds)
        found = {**facts, "pairs": args.pairs, "cpu_seconds": cost(commands, args.methods, args.pairs, args.rounds)}
        write(args.out, COST, found, cost_table(found))
        found = {**facts, **memory(commands, args.sizes, args.rounds)}
        write(args.out, MEMORY, found, memory_table(found))


if __name__ == "__main__":
    sys.exit(exit_code(main))
