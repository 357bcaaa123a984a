#!/usr/bin/env python3
"""What updates spend their time on, for benchmark_training.py --profile: this package's next to fairseq's.

By torch.profiler, for the first setting of the benchmark: each kernel's time on the device and each operation's on the
host, how long the device has nothing to do, and how much of that is the host's, which starts kernels more slowly than
they run. On a GPU also a trace of the first contestant's updates, for chrome://tracing or Perfetto.
"""

from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

import torch
from harness import write_text
from sinkhorn_profile import CALLS, Part, lines, on_device, part_of, wait
from training_batches import Setting
from training_processes import Worker

MOST = 25  # kernels and operations that are listed
BUSY = 0.9  # share of an update's time from which on the device bounds it


def write(setting: Setting, names: Sequence[str], folder: Path) -> str:
    """Profile the contestants of some names; ``training-profile-DEVICE.txt`` is in the folder, its text is returned.

    It is written anew after each contestant, and one that fails is named, so that the others' profiles are there.
    """
    head = f"An update of {setting.arch} in {setting.dtype}, {setting.tokens} tokens of pairs and as many of blocks"
    parts: list[str] = []
    for name in names:
        trace = folder / f"training-trace-{setting.device}.json.gz" if setting.device == "cuda" and not parts else None
        try:
            found = profile(setting, name, trace)
        except Exception as error:  # of another program, or of a compiler
            found = [f"  {type(error).__name__}: {' '.join(str(error).split())[:500]}"]
        parts.append("\n".join([f"{head}, {name}:", *found]))
        write_text(folder / f"training-profile-{setting.device}.txt", "\n\n".join(parts) + "\n")
    return "\n\n".join(parts) + "\n"


def profile(setting: Setting, name: str, trace: Path | None = None) -> list[str]:
    """Lines: what bounds an update of a contestant, and the parts that take the most time; the trace goes to a file."""
    worker = Worker(name, setting)
    worker.begin()
    worker.round()
    seconds = worker.round()["seconds"] / len(worker.contestant.samples)
    activities = [torch.profiler.ProfilerActivity.CPU]
    if setting.device == "cuda":
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    with torch.profiler.profile(activities=activities) as profiler:
        for sample in islice(cycle(worker.contestant.samples), CALLS):
            worker.contestant.step(sample)
        wait(setting.device)
    if trace is not None:
        profiler.export_chrome_trace(str(trace))
    found = [part_of(event) for event in profiler.key_averages()]
    return [*verdict(found, 1e6 * seconds, setting.device), *lines(found, MOST)]


def verdict(found: Sequence[Part], whole: float, device: str) -> list[str]:
    """What bounds an update of ``whole`` microseconds."""
    said = [f"  {whole / 1e3:.2f} ms, without the profiler"]
    if device != "cuda":
        return said
    busy, count = on_device(found)
    said.append(
        f"  on the device {busy / 1e3:.2f} ms in {count:.0f} kernels and copies, {100 * busy / whole:.0f} % of it"
    )
    waits = sum(part.calls for part in found if "Synchronize" in part.name)
    said.append(f"  the host waits {waits:.1f} times for the device")
    bound = "the kernels" if busy >= BUSY * whole else "the host, which starts the kernels more slowly than they run"
    return [*said, f"  bound by {bound}"]
