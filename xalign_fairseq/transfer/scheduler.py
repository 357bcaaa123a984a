"""Several runs in parallel: a pool of processes over the machine's cores, or one per GPU."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xalign_fairseq.core.devices import cores
from xalign_fairseq.core.process import start, stop
from xalign_fairseq.core.signals import REQUEUE, Requeued, delayed_interrupts, forwarded_requeue

POLL = 0.1  # seconds between two checks of the jobs


@dataclass(frozen=True)
class Job:
    """A command; its output is added to ``log``."""

    name: str
    command: Sequence[str]
    log: Path


@dataclass(frozen=True)
class Finished:
    """A finished job, its exit code (negative: the signal that killed it) and the remaining jobs."""

    job: Job
    code: int
    left: int


def run_jobs(
    jobs: Sequence[Job], slots: int, environment: Callable[[int], Mapping[str, str]] = lambda slot: {}
) -> Iterator[Finished]:
    """Run jobs in order, at most ``slots`` at a time, and yield each as it ends, failed or not.

    Each job leads a process group, which ends with the iteration. After SIGUSR1, which the jobs get too, no job starts,
    and ``Requeued`` is raised.
    """
    waiting, running = list(jobs), dict[int, tuple[Job, subprocess.Popen[bytes]]]()  # by slot
    with forwarded_requeue(lambda: [process for _, process in running.values()]) as signalled:
        try:
            while (waiting and not signalled) or running:
                for slot in range(slots):
                    if waiting and slot not in running and not signalled:
                        with delayed_interrupts():  # every started process must be in the list, to be ended
                            job = waiting.pop(0)
                            running[slot] = job, _start(job, environment(slot))
                ended = [slot for slot, (_, process) in running.items() if process.poll() is not None]
                for slot in ended:
                    job, process = running.pop(slot)
                    stop([process])  # processes of a crashed job
                    code = process.returncode
                    if not (signalled and code in (REQUEUE, -signal.SIGUSR1)):
                        yield Finished(job, code, len(waiting) + len(running))
                if not ended:
                    time.sleep(POLL)
        finally:
            stop([process for _, process in running.values()])
    if signalled:
        raise Requeued


def share(slots: int, gpus: Sequence[str]) -> Callable[[int], dict]:
    """Each slot's equal share of the cores, unless ``OMP_NUM_THREADS`` is given, and one GPU in turn."""
    threads = os.environ.get("OMP_NUM_THREADS") or str(max(1, cores() // slots))

    def of(slot: int) -> dict[str, str]:
        mine = {"OMP_NUM_THREADS": threads}
        return {**mine, "CUDA_VISIBLE_DEVICES": gpus[slot % len(gpus)]} if gpus else mine

    return of


def _start(job: Job, environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    job.log.parent.mkdir(parents=True, exist_ok=True)
    with open(job.log, "ab") as log:
        return start(job.command, stdout=log, stderr=subprocess.STDOUT, env={**os.environ, **environment})
