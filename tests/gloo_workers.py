"""A few processes of torch.distributed on the CPU, for tests of what workers tell one another."""

import datetime
import importlib.util
import inspect
import os
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing

import xalign_fairseq

xalign_fairseq.register()


def run_workers(function, count, folder):
    """The results of ``function(rank)``, a function of a test file, in ``count`` processes of one gloo group.

    The workers are forked from a server that has imported everything once, as they would take seconds to do it
    themselves; they cannot be forked from here, since autograd's threads would be missing on a machine with a GPU.
    """
    where = (inspect.getfile(function), function.__name__, count, str(folder))
    multiprocessing.set_forkserver_preload([__name__])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)  # where the server finds this
        multiprocessing.start_processes(_enter, where, nprocs=count, start_method="forkserver")
    return [torch.load(f"{folder}/{rank}.pt") for rank in range(count)]


def _enter(rank, path, name, count, folder):
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo",
        init_method=f"file://{folder}/rendezvous",
        rank=rank,
        world_size=count,
        timeout=datetime.timedelta(minutes=3),
    )
    # pytest's names of test files are no modules that another process could import.
    spec = importlib.util.spec_from_file_location("worker", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.save(getattr(module, name)(rank), f"{folder}/{rank}.pt")
    dist.destroy_process_group()
