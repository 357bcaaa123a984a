"""Where calls spend their time, by torch.profiler: for --profile of the Sinkhorn and training benchmarks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from harness import Clock

CALLS, MOST = 10, 20
BUSY = 0.9  # share of a call's time above which the device bounds it


def profile(call: Callable[[], Any], device: str, trace: Path | None = None) -> str:
    """The time of a call, whether the device or the host bounds it, and the longest kernels or operations.

    trace: a file for chrome://tracing or Perfetto.
    """
    clock = Clock(device)
    for _ in range(CALLS):
        call()
    clock.of(lambda: [call() for _ in range(CALLS)])()
    activities = [torch.profiler.ProfilerActivity.CPU]
    if device == "cuda":
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    with torch.profiler.profile(activities=activities) as profiler:
        for _ in range(CALLS):
            call()
        clock.now()
    if trace is not None:
        profiler.export_chrome_trace(str(trace))
    averages = profiler.key_averages()
    summary = verdict(averages, clock.seconds / CALLS, device)
    order = "self_device_time_total" if device == "cuda" else "self_cpu_time_total"
    return f"{summary}\n{averages.table(sort_by=order, row_limit=MOST, max_name_column_width=80)}"


def verdict(averages: Any, seconds: float, device: str) -> str:
    """A summary of what bounds a call; ``averages`` are the profiler's over :data:`CALLS` calls."""
    summary = f"{1e3 * seconds:.3f} ms, without the profiler"
    if device != "cuda":
        return summary
    # An operation's time includes the kernel that it starts: count each once.
    kernels = [each for each in averages if each.device_type != torch.profiler.DeviceType.CPU]
    busy = 1e-6 * sum(each.self_device_time_total for each in kernels) / CALLS
    count = sum(each.count for each in kernels) / CALLS
    waits = sum(each.count for each in averages if "Synchronize" in each.key) / CALLS
    bound = "the kernels" if busy >= BUSY * seconds else "the host, which starts the kernels more slowly than they run"
    return (
        f"{summary}; on the device {1e3 * busy:.3f} ms in {count:.0f} kernels and copies, {100 * busy / seconds:.0f} % "
        f"of it; the host waits {waits:.1f} times for the device; bound by {bound}"
    )
