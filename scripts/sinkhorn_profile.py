#!/usr/bin/env python3
"""What our own self-labelling spends its time on, and what bounds it, for benchmark_sinkhorn.py --profile.

usage: sinkhorn_profile.py cpu|cuda [--quick]      one batch between marks that ncu and nsys start and stop at

By torch.profiler, which is everywhere: each kernel's time on the device and each operation's on the host, for the batch
of thousands of pairs and for 64 pairs. By Nsight Compute (ncu), where it is there: how busy the memory and the
multiprocessors are, and what warps wait for.
"""

import argparse
import csv
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from sinkhorn_contestants import xalign
from sinkhorn_problems import LARGE, Problem, Size, make

from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.sinkhorn import backend

SMALL = Size(64, 64)
QUICK = Size(8, 8)
CALLS = 10
NCU_SECONDS = 180.0
BUSY = 75.0  # percent of what the device can do at most, from which on it is that which bounds
# Of ncu's page "details"; the first of each are those that decide.
SECTIONS = ("SpeedOfLight", "MemoryWorkloadAnalysis", "LaunchStats", "Occupancy", "SchedulerStats", "WarpStateStats")
SHOWN = (
    "Duration", "DRAM Throughput", "Memory Throughput", "Compute (SM) Throughput", "L2 Cache Throughput",
    "Achieved Occupancy", "Theoretical Occupancy", "Registers Per Thread", "Dynamic Shared Memory Per Block",
    "Issue Slots Busy", "No Eligible",
)  # fmt: skip


class Part(NamedTuple):
    """A kernel or an operation: how often it runs in a call, and its microseconds of a call on device and host."""

    name: str
    calls: float
    device: float
    host: float


def write(device: str, folder: Path, *, quick: bool = False) -> str:
    """Profile, write ``sinkhorn-profile-DEVICE.txt`` (and ncu's report) in a folder; the text is returned."""
    sizes = (QUICK,) if quick else (LARGE, SMALL)
    parts = []
    with torch.inference_mode(), backend.using(device):
        for size in sizes:
            problem = make(size, torch.bfloat16, device)
            parts.append("\n".join([f"{size.pairs} pairs, {size.name}, bfloat16:", *by_torch(problem, device)]))
            del problem
    if device == "cuda":
        parts.append("\n".join(by_ncu(folder, quick)))
    text = "\n\n".join(parts) + "\n"
    with atomic_write(folder / f"sinkhorn-profile-{device}.txt") as out:
        out.write(text)
    return text


def by_torch(problem: Problem, device: str) -> list[str]:
    """Lines: the time of a call, what of it is on the device and on the host, and what bounds it."""
    call = xalign(problem, Transport())
    for _ in range(CALLS):
        call()
    seconds = clocked(call, device)
    activities = [torch.profiler.ProfilerActivity.CPU]
    if device == "cuda":
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    with torch.profiler.profile(activities=activities) as profiler:
        for _ in range(CALLS):
            call()
        wait(device)
    found = [part_of(event) for event in profiler.key_averages()]
    copy = torch.empty_like(problem.hidden)
    read = clocked(lambda: copy.copy_(problem.hidden), device) / 2
    return [*verdict(found, 1e6 * seconds, 1e6 * read, device), *lines(found)]


def part_of(event: Any) -> Part:
    """One of torch.profiler's averages."""
    # The operation that starts a kernel has its time, too; each is to count once.
    on_device = 0.0 if event.device_type == torch.profiler.DeviceType.CPU else event.self_device_time_total
    return Part(event.key, event.count / CALLS, on_device / CALLS, event.self_cpu_time_total / CALLS)


def clocked(call: Any, device: str) -> float:
    """Seconds of a call, of many one behind the other; the least of three rounds."""
    best = float("inf")
    for _ in range(3):
        wait(device)
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        wait(device)
        best = min(best, (time.perf_counter() - start) / CALLS)
    return best


def wait(device: str) -> None:
    """Until the device has done its work."""
    if device == "cuda":
        torch.cuda.synchronize()


def verdict(found: Iterable[Part], whole: float, read: float, device: str) -> list[str]:
    """What bounds a call of ``whole`` microseconds, where reading the hidden states once takes ``read`` of them."""
    parts = list(found)
    said = [f"  a call takes {whole:.1f} us; reading its hidden states once {read:.1f} us ({whole / read:.2f} times)"]
    if device != "cuda":
        return said
    kernels, count = on_device(parts)
    said.append(f"  on the device {kernels:.1f} us in {count:.0f} kernels and copies")
    if kernels < 0.8 * whole:
        said.append("  bound by the host, which starts the kernels more slowly than they run: a CUDA graph helps")
    elif kernels <= 1.3 * read:
        said.append("  bound by the memory: within 1.3 times the read of the hidden states")
    else:
        said.append("  bound by the kernels themselves, not by reading: see below, and ncu")
    return said


def on_device(parts: Sequence[Part]) -> tuple[float, float]:
    """Microseconds on the device of a call, and in how many kernels and copies."""
    return sum(part.device for part in parts), sum(part.calls for part in parts if part.device)


def lines(found: Iterable[Part], most: int = 12) -> list[str]:
    """The parts that take the most time, device before host."""
    each = sorted(found, key=lambda part: (-part.device, -part.host))
    head = f"  {'us on device':>12} {'us on host':>12} {'times':>6}  what"
    return [head, *(f"  {p.device:12.1f} {p.host:12.1f} {p.calls:6.1f}  {p.name[:80]}" for p in each[:most])]


def by_ncu(folder: Path, quick: bool) -> list[str]:
    """Lines of Nsight Compute's figures of each kernel, and what bounds it; or why there are none."""
    program = shutil.which("ncu")
    if program is None:
        return ["Nsight Compute: there is no ncu on PATH"]
    measure = [sys.executable, __file__, "cuda", *(["--quick"] if quick else [])]
    with tempfile.TemporaryDirectory() as work:
        report = Path(work, "sinkhorn.ncu-rep")
        sections = [option for section in SECTIONS for option in ("--section", section)]
        collect = [program, "--profile-from-start", "off", "--clock-control", "none", *sections, "-o", report, *measure]
        show = [program, "--import", report, "--csv", "--page", "details"]
        try:
            subprocess.run(list(map(str, collect)), check=True, capture_output=True, text=True, timeout=NCU_SECONDS)
            shown = subprocess.run(list(map(str, show)), check=True, capture_output=True, text=True)
        except subprocess.TimeoutExpired:
            return [f"Nsight Compute: no report within {NCU_SECONDS:.0f} s"]
        except subprocess.CalledProcessError as error:
            said = f"{error.stdout}\n{error.stderr}".strip().splitlines()[-3:]
            return ["Nsight Compute failed:", *(f"  {line}" for line in said)]
        shutil.copy(report, folder / "sinkhorn.ncu-rep")
    kernels = kernels_of(shown.stdout)
    said = ["Nsight Compute:", *(line for kernel in kernels.items() for line in of_kernel(*kernel)), "", "All of it:"]
    for name, metrics in kernels.items():
        said += [f"  {name}", *(f"    {metric}: {' '.join(value)}" for metric, value in metrics.items())]
    return said


def kernels_of(page: str) -> dict[str, dict[str, tuple[str, str]]]:
    """From ncu's CSV: for each launch its metrics, by name, as value and unit."""
    text = [line for line in page.splitlines() if line.startswith('"')]  # before it there are lines of its own
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for row in csv.DictReader(text):
        name = f"{row['ID']}: {row['Kernel Name']}"
        if row.get("Metric Name"):
            found.setdefault(name, {})[row["Metric Name"]] = row["Metric Value"], row["Metric Unit"]
    return found


def of_kernel(name: str, metrics: dict[str, tuple[str, str]]) -> list[str]:
    """Lines of one launch."""
    said = [f"  {name}"]
    said += [f"    {metric}: {' '.join(metrics[metric])}" for metric in SHOWN if metric in metrics]
    memory, compute = (percent(metrics.get(metric)) for metric in ("DRAM Throughput", "Compute (SM) Throughput"))
    if memory is not None and compute is not None:
        if memory >= BUSY:
            what = "the memory"
        elif compute >= BUSY:
            what = "the multiprocessors"
        else:
            what = "neither memory nor arithmetic, but latencies: barriers, dependent instructions, too few warps"
        said.append(f"    bound by {what}")
    return said


def percent(metric: tuple[str, str] | None) -> float | None:
    """A metric's value, None if there is none."""
    return None if metric is None else float(metric[0].replace(",", ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("device", choices=("cpu", "cuda"))
    parser.add_argument("--quick", action="store_true", help="a tiny batch, to try it")
    args = parser.parse_args()
    backend.select(args.device)
    with torch.inference_mode():
        call = xalign(make(QUICK if args.quick else LARGE, torch.bfloat16, args.device), Transport())
        for _ in range(3):
            call()
        wait(args.device)
        if args.device == "cuda":
            torch.cuda.cudart().cudaProfilerStart()
        call()
        wait(args.device)
        if args.device == "cuda":
            torch.cuda.cudart().cudaProfilerStop()


if __name__ == "__main__":
    main()
