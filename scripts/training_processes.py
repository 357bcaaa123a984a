"""The process of a contestant of benchmark_training.py: its requests and answers."""

import contextlib
import logging
import multiprocessing
import tempfile
import warnings
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

import torch
from harness import Clock, peak_mb
from training_batches import Setting
from training_contestants import PROFILED

from xalign_fairseq.core.errors import XalignError

PATIENCE, GRACE = 600, 10  # seconds for one answer, and for a process to end


class Peak:
    """Peak memory in MB: of the process, and of the device, whose own record fairseq's trainer resets."""

    def __init__(self, device: str):
        self.device = device
        self.highest = 0
        if device == "cuda":
            reset = torch.cuda.reset_peak_memory_stats

            def record(*given: Any) -> None:
                self.look()
                reset(*given)

            torch.cuda.reset_peak_memory_stats = record

    def reset(self) -> None:
        """Reset the device's record."""
        if self.device == "cuda":
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            self.highest = 0

    def look(self) -> dict[str, float]:
        """The peak so far."""
        found = {"peak_mb": peak_mb()}
        if self.device == "cuda":
            self.highest = max(self.highest, torch.cuda.max_memory_allocated())
            found["device_peak_mb"] = self.highest / 2**20
        return found


class Worker:
    """One contestant, with its requests by name."""

    def __init__(self, name: str, setting: Setting, rank: int = 0):
        torch.set_num_threads(max(setting.threads // setting.processes, 1))
        self.setting = setting
        self.peak = Peak(setting.device)
        self.contestant = PROFILED[name](setting, rank)

    def begin(self) -> dict[str, Any]:
        """The first loss, then rounds that warm up."""
        found = {"first_loss": self.contestant.first_loss(), "contents": self.contestant.contents}
        self.contestant.prepare()
        self.peak.reset()
        for _ in range(self.contestant.warm_up):
            self.round()
        return found

    def round(self) -> dict[str, Any]:
        """An update on each batch: tokens, seconds, and peak memory so far."""
        clock = Clock(self.setting.device)
        clock.of(self._updates)()
        return {"tokens": self.contestant.tokens, "seconds": clock.seconds, **self.peak.look()}

    def _updates(self) -> None:
        for sample in self.contestant.samples:
            self.contestant.step(sample)


def serve(asked: Connection, name: str, setting: Setting, rank: int = 0, meeting: str = "") -> None:
    """The body of a contestant's process: answers (True, result) or (False, error) until a request is None.

    It also ends with its parent process. ``meeting``: a file through which the processes of an update connect.
    """
    logging.disable(logging.INFO)
    warnings.simplefilter("ignore")  # deprecations of four libraries
    worker: Worker | None = None
    answers: Mapping[str, Callable[[Worker], Any]] = {"begin": Worker.begin, "round": Worker.round}
    if setting.processes > 1:
        torch.distributed.init_process_group(
            "gloo", init_method=f"file://{meeting}", rank=rank, world_size=setting.processes
        )
    while (what := _next(asked)) is not None:
        try:
            worker = worker or Worker(name, setting, rank)
            asked.send((True, answers[what](worker)))
        except Exception as error:
            asked.send((False, f"{type(error).__name__}: {error}"[:500]))


def _next(asked: Connection) -> str | None:
    try:
        return asked.recv()
    except EOFError:
        return None


class Process:
    """A contestant in its own process, or in several that share its updates."""

    def __init__(self, name: str, setting: Setting):
        context = multiprocessing.get_context("spawn")
        self.folder = tempfile.TemporaryDirectory()
        self.pipes, self.processes = [], []
        for rank in range(setting.processes):
            pipe, theirs = context.Pipe()
            given = (theirs, name, setting, rank, f"{self.folder.name}/meeting")
            process = context.Process(target=serve, args=given)
            process.start()
            theirs.close()
            self.pipes.append(pipe)
            self.processes.append(process)

    def send(self, what: str) -> None:
        """Send a request without waiting."""
        for pipe in self.pipes:
            with contextlib.suppress(OSError):  # it died, which receive() reports
                pipe.send(what)

    def receive(self) -> dict[str, Any]:
        """The answer of the first process, with the tokens of all."""
        answers = [self._receive(pipe) for pipe in self.pipes]
        if "tokens" in answers[0]:
            answers[0]["tokens"] = sum(answer["tokens"] for answer in answers)
        return answers[0]

    def _receive(self, pipe: Connection) -> dict[str, Any]:
        if not pipe.poll(PATIENCE):
            raise XalignError(f"no answer in {PATIENCE} s")
        try:
            fine, answer = pipe.recv()
        except EOFError:
            raise XalignError("the process died, perhaps for lack of memory") from None
        if not fine:
            raise XalignError(answer)
        return answer

    def end(self) -> None:
        """End the processes, gracefully if possible, so that they end their own workers."""
        for pipe in self.pipes:
            with contextlib.suppress(OSError):  # it may be dead
                pipe.send(None)
        for process in self.processes:
            process.join(GRACE)
            process.kill()
            process.join()
        self.folder.cleanup()
