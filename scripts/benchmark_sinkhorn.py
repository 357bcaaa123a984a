#!/usr/bin/env python3
"""Measure self-labelling (hidden states to word labels) beside the products alone and beside other solvers.

usage: benchmark_sinkhorn.py [--device cpu|cuda] [--threads N ...] [--repeats 20] [--data-bin FOLDER] [--out FOLDER]
       benchmark_sinkhorn.py --profile

In one run: the time of every program on 64 pairs of 32, 64 and 128 tokens a side and on ragged ones, with 2 and 50
iterations, as a multiple of the time of the products; the memory that it adds, in a process of its own; whether its
links are those of the definition, without which nothing is written; and the share of XLM-Align's training step that
self-labelling takes, on batches of a data-bin (default: made from the embedded sample). On a GPU also 2048 pairs in
bfloat16 as a multiple of reading their hidden states once, and with --profile Nsight Compute's report on those kernels.
Writes OUT/sinkhorn-DEVICE.json and, from the results of all devices in OUT, the table OUT/sinkhorn.md and the picture
OUT/sinkhorn.png. Programs that are not installed are left out, and the table says so: pip install ".[benchmark]".
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import sinkhorn_report
from benchmark_aligner import processor

from xalign_fairseq.errors import XalignError
from xalign_fairseq.files import atomic_write
from xalign_fairseq.launch.devices import cores
from xalign_fairseq.launch.record import commit
from xalign_fairseq.plots.figure import require_matplotlib

HERE = Path(__file__).resolve().parent
PACKAGES = ("xalign_fairseq", "torch", "POT", "geomloss")
SAMPLE_PAIRS, VOCABULARY = 2000, 2000


def child(script: str, what: str | Path, device: str, threads: int, *options: str) -> list[dict[str, Any]]:
    """The rows that sinkhorn_measure.py or sinkhorn_step.py writes, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "rows.json")
        command = [sys.executable, HERE / script, what, device, threads, out, *options]
        subprocess.run(list(map(str, command)), check=True, env={**os.environ, "OMP_NUM_THREADS": str(threads)})
        return json.loads(out.read_text())


def memory(device: str, threads: int, *options: str) -> list[dict[str, Any]]:
    """What each program adds to the peak, each in a process of its own."""
    from sinkhorn_contestants import CONTESTANTS

    there = [program for program, contestant in CONTESTANTS.items() if contestant.missing is None]
    each = [child("sinkhorn_measure.py", "memory", device, threads, *options, "--only", name) for name in there]
    return [row for rows in each for row in rows]


def data_bin(work: Path) -> Path:
    """A data-bin of the embedded sample: two language pairs and monolingual text."""
    text, made, xalign = work / "text", work / "data-bin", Path(sys.executable).with_name("xalign")
    sample = [xalign, "sample", text, "--pairs", SAMPLE_PAIRS, "--valid", 1, "--test", 1]
    prepare = [xalign, "prepare", "--destdir", made, "--vocab-size", VOCABULARY]
    for pair in ("en-de", "en-fr"):
        prepare += ["--pair", pair, "--trainpref", text / pair / "train"]
    for language in ("en", "de", "fr"):
        prepare += ["--mono", f"{language}={text}/mono/train.{language}"]
    for command in (sample, prepare):
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
    return made


def describe(args: argparse.Namespace, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Everything that the results file says but memory and step: rows with ``times_bmm`` and ``times_read``."""
    given = [f"--threads {' '.join(map(str, args.threads))}", f"--repeats {args.repeats}"]
    given += [f"--data-bin {args.data_bin.name}"] if args.data_bin else []
    return {
        "command": f"benchmark_sinkhorn.py --device {args.device} {' '.join(given)}",
        "commit": commit() or "unknown",
        "machine": processor(args.device),
        "cores": cores(),
        "versions": {package: found for package in PACKAGES if (found := installed(package))},
        "rows": compare(rows),
    }


def compare(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows, with the multiple of the products in float32 on the same batch, or of one read of the hidden states.

    A copy reads and writes: reading takes half of its time.
    """
    bases: dict[Any, float] = {}
    for row in rows:
        if row["program"] == "bmm alone" and row["dtype"] == "float32":
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
    return tuple(row.get(key) for key in ("threads", "size", "pairs", "iterations"))


def installed(package: str) -> str | None:
    """A package's version, None without it."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def profile(out: Path) -> None:
    """Nsight Compute's report on our kernels for the largest batch, OUT/sinkhorn.ncu-rep."""
    if shutil.which("ncu") is None:
        raise XalignError("there is no ncu", where="--profile", next="install Nsight Compute, put it on PATH")
    with tempfile.TemporaryDirectory() as folder:
        measure = [sys.executable, HERE / "sinkhorn_measure.py", "profile", "cuda", "1", Path(folder, "rows.json")]
        ncu = ["ncu", "--profile-from-start", "off", "--set", "full", "--force-overwrite", "--export", out / "sinkhorn"]
        subprocess.run(list(map(str, [*ncu, *measure])), check=True)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Measure all; the contents of the results file."""
    rows, most, options = [], max(args.threads), ["--quick"] if args.quick else []
    with tempfile.TemporaryDirectory() as work:
        data = args.data_bin or data_bin(Path(work))
        step = child("sinkhorn_step.py", data, args.device, most, *options)
    for threads in args.threads:
        repeats = ("--repeats", str(args.repeats))
        found = child("sinkhorn_measure.py", "times", args.device, threads, *repeats, *options)
        rows += [{**row, "threads": threads} for row in found]
    return {**describe(args, rows), "memory": memory(args.device, most, *options), "step": step}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=sinkhorn_report.DEVICES, default="cpu")
    parser.add_argument("--threads", type=int, nargs="+", help="one run each (default: 1 and all cores; on a GPU 1)")
    parser.add_argument("--repeats", type=int, default=20, help="rounds of all programs, of which the best counts")
    parser.add_argument("--data-bin", type=Path, help="whose batches the training steps take (default: the sample's)")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="folder for the results")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: to try the script")
    parser.add_argument("--profile", action="store_true", help="no times, but ncu's report on our CUDA kernels")
    args = parser.parse_args()
    if args.profile:
        return profile(args.out)
    require_matplotlib()
    args.threads = args.threads or sorted({1, cores()} if args.device == "cpu" else {1})
    text = json.dumps(run(args), indent=1)
    with atomic_write(args.out / f"sinkhorn-{args.device}.json") as out:
        out.write(f"{text}\n")
    print(sinkhorn_report.write(args.out))


if __name__ == "__main__":
    main()
