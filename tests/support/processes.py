"""Other processes: whether they run, groups of workers, Python without fairseq, and aligners for a pool."""

import datetime
import importlib.util
import inspect
import logging
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing

import xalign_fairseq
from support.warm_start import run_warm
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.tokenizers.unknown import UnknownTokens


def is_alive(pid):
    """Whether a process exists and has not ended."""
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as stat:  # ended, but its parent has not waited for it
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def wait_for(condition, seconds=20):
    """Wait until the condition holds; raise an error if it takes too long."""
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    assert condition()


def group_is_gone(group):
    """Whether no process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def program(path, text):
    """Write a program, by default one of the shell, that replaces a real one; its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def run_workers(function, count, folder):
    """The results of ``function(rank)``, a function of a test file, in ``count`` processes of one gloo group.

    The workers are forked from a server that has imported everything once, because importing takes seconds. They cannot
    be forked from here: on a machine with a GPU, autograd's threads would be missing.
    """
    where = (inspect.getfile(function), function.__name__, count, str(folder))
    multiprocessing.set_forkserver_preload([__name__, "support.trials"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[1]), prepend=os.pathsep)  # where the server finds this
        multiprocessing.start_processes(_enter, where, nprocs=count, start_method="forkserver")
    return [torch.load(f"{folder}/{rank}.pt") for rank in range(count)]


def _enter(rank, path, name, count, folder):
    torch.set_num_threads(1)
    xalign_fairseq.register()
    dist.init_process_group(
        "gloo",
        init_method=f"file://{folder}/rendezvous",
        rank=rank,
        world_size=count,
        timeout=datetime.timedelta(minutes=3),
    )
    # Other processes cannot import test files under pytest's names.
    spec = importlib.util.spec_from_file_location("worker", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.save(getattr(module, name)(rank), f"{folder}/{rank}.pt")
    dist.destroy_process_group()


BLOCK = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("fairseq", "fairseq_cli", "hydra", "omegaconf"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
"""


def run_without_fairseq(code, *arguments, cwd=None):
    """The output of Python code without fairseq; AssertionError with its errors if it fails."""
    done = run_warm([sys.executable, "-c", BLOCK + code, *arguments], cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def type_checked(program, folder):
    """mypy's output for a program that uses the package; the repository's cache may have the package's types."""
    (folder / "program.py").write_text(program)
    command = [sys.executable, "-m", "mypy", "--config-file=pyproject.toml", str(folder / "program.py")]
    return subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True).stdout


logger = logging.getLogger(__name__)


class Counting:
    """Returns each pair with its numbers of words; obeys the first source word."""

    def __init__(self, device):
        self.device = device
        self._unknown = UnknownTokens()

    def unknown(self):
        return self._unknown

    def stream(self, pairs, progress=None, matrices=False):
        for src, tgt in pairs:
            match src[:1]:
                case ["sleep"]:
                    time.sleep(float(src[1]))
                case ["warn"]:
                    logger.warning("a pair is odd")
                case ["fail"]:
                    raise XalignError("as asked", where=src[1])
                case ["lose"]:

                    class Local(Exception):
                        """Only this process has this class."""

                    raise Local("lost")
                case ["die"]:
                    os.kill(os.getpid(), signal.SIGKILL)
            self._unknown.add(UnknownTokens(len(src), 1, Counter(["Thai"])))
            yield src, tgt, len(src), len(tgt)


def load(device):
    if device == "none":
        raise XalignError("unknown device", where=device)
    logger.warning("the model's head is left out")
    return Counting(device)


def device_and_process(aligner):
    return aligner.device, os.getpid()


def no_answer(aligner):
    """A value that can't be sent."""
    return lambda: None


def threads(aligner):
    import torch

    return torch.get_num_threads()
