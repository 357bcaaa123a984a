"""Several runs side by side: a pool of processes over the machine's cores, or one a GPU."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

# How long a process may take to end after it was asked to.
PATIENCE = 10.0
TAIL_LINES = 15


@dataclass(frozen=True)
class Job:
    """A command; its output is added to ``log``."""

    name: str
    command: Sequence[str]
    log: Path


@dataclass(frozen=True)
class Finished:
    """A job that has ended, its exit code (negative: the signal that killed it) and the jobs that are left."""

    job: Job
    code: int
    left: int


@dataclass
class _Running:
    job: Job
    slot: int
    process: subprocess.Popen


def run_jobs(
    jobs: Sequence[Job],
    slots: int,
    environment: Callable[[int], Mapping[str, str]] = lambda slot: {},
    poll: float = 0.1,
) -> Iterator[Finished]:
    """Run jobs in their order, at most ``slots`` at a time, and yield each as it ends, whether it failed or not.

    Each job leads a process group of its own. If the iteration is left early, by an exception (Ctrl-C) or by
    ``close()``, the groups that still run are ended before it returns; there is nothing left to clean up.

    Args:
        jobs: what to run.
        slots: processes at a time, at least 1.
        environment: what a job in slot 0 ... slots - 1 has in its environment beside this process's.
        poll: seconds between two looks.

    Example::

        for done in run_jobs(jobs, 2, lambda slot: {"CUDA_VISIBLE_DEVICES": str(slot)}):
            print(done.job.name, done.code)
    """
    waiting, running = list(jobs), list[_Running]()
    try:
        while waiting or running:
            free = sorted(set(range(slots)) - {each.slot for each in running})
            for slot in free[: len(waiting)]:
                with _interrupts_held_back():  # a process that is not in the list yet would not be ended
                    running.append(_start(waiting.pop(0), slot, environment(slot)))
            ended = [each for each in running if each.process.poll() is not None]
            running = [each for each in running if each not in ended]
            for index, each in enumerate(ended, 1):
                _kill(each.process)  # what a job that crashed may have left behind
                yield Finished(each.job, each.process.returncode, len(waiting) + len(running) + len(ended) - index)
            if not ended:
                time.sleep(poll)
    finally:
        stop([each.process for each in running])


def tail(log: Path, lines: int = TAIL_LINES) -> str:
    """The last lines of a log, for the report of a failure."""
    if not log.is_file():
        return ""
    with open(log, "rb") as stream:
        stream.seek(max(0, log.stat().st_size - 400 * lines))
        return "\n".join(stream.read().decode(errors="replace").splitlines()[-lines:])


def devices(environment: Mapping[str, str] = os.environ) -> list[str]:
    """The GPUs that this process may use, as ``CUDA_VISIBLE_DEVICES`` names them; empty on a CPU."""
    import torch

    named = [name for name in environment.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    return named[:count] or [str(i) for i in range(count)]


def share(slots: int, gpus: Sequence[str], environment: Mapping[str, str] = os.environ) -> Callable[[int], dict]:
    """What each slot has of the machine: an equal part of the cores, and one GPU in turn.

    ``OMP_NUM_THREADS`` that is set already stays.
    """
    threads = environment.get("OMP_NUM_THREADS") or str(max(1, cores() // slots))

    def of(slot: int) -> dict[str, str]:
        mine = {"OMP_NUM_THREADS": threads}
        return {**mine, "CUDA_VISIBLE_DEVICES": gpus[slot % len(gpus)]} if gpus else mine

    return of


def cores() -> int:
    """The cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def terminate_as_interrupt() -> Iterator[None]:
    """Within the block SIGTERM is what Ctrl-C is, so that ending the driver ends its jobs."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """SIGINT and SIGTERM that arrive within the block are handled at its end."""
    arrived: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    before = {number: signal.signal(number, lambda number, frame: arrived.append(number)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for each in arrived:
            signal.raise_signal(each)


def _start(job: Job, slot: int, environment: Mapping[str, str]) -> _Running:
    job.log.parent.mkdir(parents=True, exist_ok=True)
    with open(job.log, "ab") as log:
        process = subprocess.Popen(
            list(job.command),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
            start_new_session=True,  # a group of its own: Ctrl-C reaches the driver alone, which ends the jobs in order
        )
    return _Running(job, slot, process)


def stop(processes: Sequence[subprocess.Popen]) -> None:
    """Ask process groups to end; kill those that do not."""
    for number, patience in ((signal.SIGTERM, PATIENCE), (signal.SIGKILL, PATIENCE)):
        alive = [process for process in processes if process.poll() is None]
        for process in alive:
            _kill(process, number)
        until = time.monotonic() + patience
        while any(process.poll() is None for process in alive) and time.monotonic() < until:
            time.sleep(0.05)
    if any(process.poll() is None for process in processes):
        print("warning: a process could not be ended", file=sys.stderr)


def _kill(process: subprocess.Popen, number: int = signal.SIGKILL) -> None:
    """Send a signal to a job's whole group, if there is any process left in it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
