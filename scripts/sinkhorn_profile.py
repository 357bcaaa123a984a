"""What our own self-labelling spends its time on, and what bounds it, for benchmark_sinkhorn.py --profile.

By torch.profiler: each kernel's time on the device and each operation's on the host, for the batch of thousands of
pairs and for 64 pairs.
"""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from harness import write_text
from sinkhorn_contestants import xalign
from sinkhorn_problems import LARGE, Problem, Size, make

from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.sinkhorn import backend

SMALL = Size(64, 64)
QUICK = Size(8, 8)
CALLS = 10


class Part(NamedTuple):
    """A kernel or an operation: how often it runs in a call, and its microseconds of a call on device and host."""

    name: str
    calls: float
    device: float
    host: float


def write(device: str, folder: Path, *, quick: bool = False) -> str:
    """Profile, write ``sinkhorn-profile-DEVICE.txt`` in a folder; the text is returned."""
    sizes = (QUICK,) if quick else (LARGE, SMALL)
    parts = []
    with torch.inference_mode(), backend.using(device):
        for size in sizes:
            problem = make(size, torch.bfloat16, device)
            parts.append("\n".join([f"{size.pairs} pairs, {size.name}, bfloat16:", *by_torch(problem, device)]))
            del problem
    text = "\n\n".join(parts) + "\n"
    write_text(folder / f"sinkhorn-profile-{device}.txt", text)
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
        said.append("  bound by the kernels themselves, not by reading")
    return said


def on_device(parts: Sequence[Part]) -> tuple[float, float]:
    """Microseconds on the device of a call, and in how many kernels and copies."""
    return sum(part.device for part in parts), sum(part.calls for part in parts if part.device)


def lines(found: Iterable[Part], most: int = 12) -> list[str]:
    """The parts that take the most time, device before host."""
    each = sorted(found, key=lambda part: (-part.device, -part.host))
    head = f"  {'us on device':>12} {'us on host':>12} {'times':>6}  what"
    return [head, *(f"  {p.device:12.1f} {p.host:12.1f} {p.calls:6.1f}  {p.name[:80]}" for p in each[:most])]
