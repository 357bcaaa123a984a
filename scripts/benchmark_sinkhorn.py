#!/usr/bin/env python3
"""Measure self-labelling (hidden states to word labels) and compare it with the products alone and with other solvers.

usage: benchmark_sinkhorn.py [--device cpu|cuda] [--threads N ...] [--repeats 20] [--seconds N] [--brief] [--out FOLDER]
       benchmark_sinkhorn.py --profile [--device cpu|cuda] [--out FOLDER]

In one run: the time of every program on 64 pairs of 32, 64 and 128 tokens a side and on ragged ones, with 2 and 50
iterations, as a multiple of the time of the products in the same dtype; the memory that it adds, in a process of its
own; and whether its links are those of the definition, without which no time is taken. (Its share of a training step:
benchmark_training.py.) On a GPU first of all 2048 pairs in bfloat16 as a multiple of reading their hidden states once,
and 64 pairs and fewer, as CUDA graphs, too. Writes OUT/sinkhorn-DEVICE.json, anew after each part, and in the end, from
the results of all devices in OUT, the table OUT/sinkhorn.md and the picture OUT/sinkhorn.png. Programs that are not
installed are left out, and the table says so: pip install ".[benchmark]". The exit code is 1 if a program failed or had
other links.

--brief takes the times of torch's products, our own, eager and compiled torch (this with 2 iterations) and nothing
else, in 6 minutes on two cores. --seconds limits the time: what does not fit is ended or left out;
what was measured before stays.

--profile writes OUT/sinkhorn-profile-DEVICE.txt instead: what our own spends its time on and what bounds it, by
torch.profiler.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import sinkhorn_profile
import sinkhorn_report
import torch
from harness import RESULTS, about, write_text

from xalign_fairseq.core.devices import cores, fast_bfloat16
from xalign_fairseq.evaluation.plots.figure import require_matplotlib

MEASURE = "sinkhorn_measure.py"
HERE = Path(__file__).resolve().parent
PACKAGES = ("xalign_fairseq", "torch", "POT", "geomloss")
BRIEF = ("bmm alone", "xalign", "torch, eager", "torch.compile")
ENDING = 10.0  # seconds at the end of a run with a limit, for the table and the picture
TIMES_SHARE = 0.6  # of the seconds of a run with a limit, for the times of all sizes


class Children:
    """Processes of their own that measure, within the seconds that a run may take.

    Attributes:
        failed: what of them has failed, in words.
    """

    def __init__(self, seconds: float | None = None):
        self.end = None if seconds is None else time.monotonic() + seconds - ENDING
        self.failed: list[str] = []

    @property
    def left(self) -> float | None:
        """Seconds, 0 at least; None without a limit."""
        return None if self.end is None else max(0.0, self.end - time.monotonic())

    def rows(self, what: str, device: str, threads: int, *options: str, share: float = 1.0) -> list[dict[str, Any]]:
        """Those that sinkhorn_measure.py has written when it ends, or is ended.

        share: of the seconds that are left, that it may take.
        """
        left = self.left
        if left == 0:
            return []
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "rows.json")
            command = list(map(str, [sys.executable, HERE / MEASURE, what, device, threads, out, *options]))
            environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
            try:
                subprocess.run(command, check=True, env=environment, timeout=None if left is None else share * left)
            except subprocess.TimeoutExpired:
                print(f"{MEASURE} {what} is ended at the limit of the run", file=sys.stderr)
            except subprocess.CalledProcessError as error:
                self.failed.append(f"{MEASURE} {what} ended with exit code {error.returncode}")
            return json.loads(out.read_text()) if out.is_file() else []


def describe(args: argparse.Namespace, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Everything that the results file says but memory: rows with ``times_bmm`` and ``times_read``."""
    given = [f"--threads {' '.join(map(str, args.threads))}", f"--repeats {args.repeats}"]
    given += [f"--seconds {args.seconds:g}"] if args.seconds else []
    given += ["--brief"] if args.brief else []
    command = f"benchmark_sinkhorn.py --device {args.device} {' '.join(given)}"
    return {
        **about(command, args.device, PACKAGES, cores=cores()),
        "rows": compare(rows, fast_bfloat16(torch.device(args.device))),
    }


def compare(rows: Sequence[dict[str, Any]], fast_bfloat16: bool = True) -> list[dict[str, Any]]:
    """The rows, with the multiple of the products alone on the same batch, or of one read of the hidden states.

    A copy reads and writes: reading takes half of its time. There is no multiple of products in bfloat16 that the
    device emulates.
    """
    bases: dict[Any, float] = {}
    for row in rows:
        if row["program"] == "bmm alone" and "seconds" in row and (fast_bfloat16 or row["dtype"] != "bfloat16"):
            bases["times_bmm", *_batch(row)] = row["seconds"]
        elif row["program"] == "copy":
            bases["times_read", *_batch(row)] = row["seconds"] / 2
    out = []
    for row in rows:
        ratios = {
            unit: row["seconds"] / bases[unit, *_batch(row)]
            for unit in ("times_bmm", "times_read")
            if "seconds" in row and (unit, *_batch(row)) in bases
        }
        out.append({**row, **ratios})
    return out


def _batch(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(key) for key in ("threads", "size", "pairs", "iterations", "dtype", "group"))


def run(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Measure all; the contents of the results file after each part."""
    children, most, options = Children(args.seconds), max(args.threads), ["--quick"] if args.quick else []
    brief = ["--brief", "--only", *BRIEF] if args.brief else []
    rows: list[dict[str, Any]] = []
    for threads in args.threads:
        given = ["--repeats", str(args.repeats), *options, *brief]
        found = children.rows("times", args.device, threads, *given, share=TIMES_SHARE)
        rows += [{**row, "threads": threads} for row in found]
    result = {**describe(args, rows), "memory": [], "failed": children.failed}
    children.failed += [f"{row['program']}, {row['dtype']}: {row['failed']}" for row in rows if "failed" in row]
    yield result
    if args.brief:
        return
    for program in programs(args.device):
        found = children.rows("memory", args.device, most, *options, "--only", program)
        result["memory"] += found
    yield result


def programs(device: str) -> list[str]:
    """Those whose memory is measured, each in a process of its own."""
    from sinkhorn_contestants import CONTESTANTS

    each = CONTESTANTS.items()
    return [name for name, one in each if one.missing is None and one.competes(("usual", "compiled"), device)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=sinkhorn_report.DEVICES, default="cpu")
    parser.add_argument("--threads", type=int, nargs="+", help="one run each (default: 1 and all cores; on a GPU 1)")
    parser.add_argument("--repeats", type=int, default=20, help="rounds of all programs; their median counts")
    parser.add_argument("--seconds", type=float, help="time limit (default: none)")
    parser.add_argument("--brief", action="store_true", help="times of the products, our own and torch's alone")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: to try the script")
    parser.add_argument("--profile", action="store_true", help="no times, but what bounds our own")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.profile:
        print(sinkhorn_profile.write(args.device, args.out, quick=args.quick))
        return
    require_matplotlib()
    args.threads = args.threads or sorted({1, cores()} if args.device == "cpu" else {1})
    for result in run(args):
        write_text(args.out / f"sinkhorn-{args.device}.json", json.dumps(result, indent=1) + "\n")
    print(sinkhorn_report.write(args.out))
    if result["failed"]:
        raise SystemExit("\n".join(["not everything was measured:", *result["failed"]]))


if __name__ == "__main__":
    main()
