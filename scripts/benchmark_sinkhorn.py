#!/usr/bin/env python3
"""Measure self-labelling (hidden states to word labels) and compare it with products alone and with other solvers.

usage: benchmark_sinkhorn.py [--device cpu|cuda] [--threads N ...] [--repeats 20] [--seconds N] [--brief] [--out FOLDER]
       benchmark_sinkhorn.py --profile [--device cpu|cuda] [--out FOLDER]

Times every program on 64 pairs of 32, 64 and 128 tokens per side and on ragged ones, with 2 and 50 iterations, as a
multiple of the products' time in the same dtype. A program counts only if its links equal the reference's. On a GPU,
first measures 2048 pairs in bfloat16 as a multiple of reading their hidden states once, and CUDA graphs for up to 64
pairs. Writes OUT/sinkhorn-DEVICE.json and, from the results of all devices in OUT, the table OUT/sinkhorn.md. Skips
programs that are not installed, and says so in the table: pip install ".[benchmark]". Exits with 1 if a program failed
or had other links. --brief: only the products, our own, eager and compiled torch (this with 2 iterations). --seconds
limits the time and keeps earlier results. --profile writes OUT/sinkhorn-profile-DEVICE.txt instead, by torch.profiler.
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

import profiling
import sinkhorn_report
import torch
from harness import RESULTS, about, write_text
from sinkhorn_contestants import xalign
from sinkhorn_problems import LARGE, Size, make

from xalign_fairseq.core.devices import cores, fast_bfloat16
from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.sinkhorn import backend

MEASURE = Path(__file__).resolve().with_name("sinkhorn_measure.py")
PACKAGES = ("xalign_fairseq", "torch", "POT", "geomloss")
BRIEF = ("bmm alone", "xalign", "torch, eager", "torch.compile")
ENDING = 10.0  # seconds that a limited run keeps for the table


def describe(args: argparse.Namespace, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The content of the results file: rows with ``times_bmm`` and ``times_read``."""
    given = [f"--threads {' '.join(map(str, args.threads))}", f"--repeats {args.repeats}"]
    given += [f"--seconds {args.seconds:g}"] if args.seconds else []
    given += ["--brief"] if args.brief else []
    command = f"benchmark_sinkhorn.py --device {args.device} {' '.join(given)}"
    return {
        **about(command, args.device, PACKAGES, cores=cores()),
        "rows": compare(rows, fast_bfloat16(torch.device(args.device))),
    }


def compare(rows: Sequence[dict[str, Any]], fast_bfloat16: bool = True) -> list[dict[str, Any]]:
    """Rows with the multiple of the products alone on the same batch, or of one read of the hidden states.

    A copy reads and writes, so reading takes half of its time. If the device emulates bfloat16, products in bfloat16
    give no multiple.
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
    """Measure each number of threads in its own process; yield the content of the results file after each."""
    end = None if args.seconds is None else time.monotonic() + args.seconds - ENDING
    options = [*["--quick"] * args.quick, *(["--brief", "--only", *BRIEF] if args.brief else [])]
    rows: list[dict[str, Any]] = []
    failed: list[str] = []
    for threads in args.threads:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "rows.json")
            given = [sys.executable, MEASURE, args.device, threads, out, "--repeats", args.repeats, *options]
            environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
            left = None if end is None else max(0.0, end - time.monotonic())
            try:
                subprocess.run(list(map(str, given)), check=True, env=environment, timeout=left)
            except subprocess.TimeoutExpired:
                print("the time limit ended the measurement", file=sys.stderr)
            except subprocess.CalledProcessError as error:
                failed.append(f"{MEASURE.name} ended with exit code {error.returncode}")
            rows += [{**row, "threads": threads} for row in (json.loads(out.read_text()) if out.is_file() else [])]
        wrong = [f"{row['program']}, {row['dtype']}: {row['failed']}" for row in rows if "failed" in row]
        yield {**describe(args, rows), "failed": [*failed, *wrong]}


def profile(device: str, quick: bool) -> str:
    """What bounds our own call, for the batch of thousands of pairs and for 64 pairs."""
    parts = []
    with torch.inference_mode(), backend.using(device):
        for size in (Size(8, 8),) if quick else (LARGE, Size(64, 64)):
            call = xalign(make(size, torch.bfloat16, device), Transport())
            parts.append(f"{size.pairs} pairs, {size.name}, bfloat16: {profiling.profile(call, device)}")
    return "\n\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=sinkhorn_report.DEVICES, default="cpu")
    parser.add_argument("--threads", type=int, nargs="+", help="numbers to run (default: 1 and all cores; GPU: 1)")
    parser.add_argument("--repeats", type=int, default=20, help="rounds of all programs; their median counts")
    parser.add_argument("--seconds", type=float, help="time limit (default: none)")
    parser.add_argument("--brief", action="store_true", help="measure only the products, our own and torch's")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to try the script")
    parser.add_argument("--profile", action="store_true", help="profile our own instead of measuring times")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.profile:
        write_text(args.out / f"sinkhorn-profile-{args.device}.txt", profile(args.device, args.quick))
        return
    args.threads = args.threads or sorted({1, cores()} if args.device == "cpu" else {1})
    for result in run(args):
        write_text(args.out / f"sinkhorn-{args.device}.json", json.dumps(result, indent=1) + "\n")
    print(sinkhorn_report.write(args.out))
    if result["failed"]:
        raise SystemExit("\n".join(["some measurements failed:", *result["failed"]]))


if __name__ == "__main__":
    main()
