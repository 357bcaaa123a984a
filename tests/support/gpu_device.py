"""The device of tests marked ``gpu``, and features of CUDA only: streams, graphs, waiting, memory.

These tests skip without a GPU. ``XALIGN_GPU_TESTS_ON=cpu pytest -m gpu`` runs the same code with fewer repetitions
on the CPU, which tests nothing of CUDA but finds what would fail on any device.
"""

import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from support.launches import READING, SHAPED_BY_VALUES, aten

ON = os.environ.get("XALIGN_GPU_TESTS_ON", "cuda")
ON_CUDA = ON == "cuda"
FEW = 2  # repetitions on the CPU


def lacking() -> str | None:
    """The reason why the tests can't run, or None."""
    if ON not in ("cuda", "cpu"):
        return f"XALIGN_GPU_TESTS_ON is {ON}, not cuda or cpu"
    return "needs a CUDA device" if ON_CUDA and not torch.cuda.is_available() else None


def there(*tensors: Tensor) -> list[Tensor]:
    """Tensors on the device."""
    return [tensor.to(ON) for tensor in tensors]


def all_or_few(items: Iterable) -> list:
    """All of them on a GPU, only the first few on the CPU."""
    return list(items if ON_CUDA else itertools.islice(items, FEW))


def wait() -> None:
    """Wait until the device has done its work."""
    if ON_CUDA:
        torch.cuda.synchronize()


@contextmanager
def no_waiting() -> Iterator[None]:
    """Raises where the host waits for the device."""
    if not ON_CUDA:
        with pytest.MonkeyPatch.context() as patch, NoWaiting(patch):
            yield
        return
    torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


@contextmanager
def on_another_stream() -> Iterator[None]:
    """A separate stream, after the work started before and before the work started later."""
    if not ON_CUDA:
        yield
        return
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        yield
    torch.cuda.current_stream().wait_stream(stream)


def graph(function: Callable[[], Tensor]) -> tuple[Callable[[], Any], Tensor]:
    """A function captured as a CUDA graph: the replay function, and the tensor that each replay rewrites."""
    with on_another_stream():
        function()  # load kernels
    if not ON_CUDA:
        output = function()
        return lambda: output.copy_(function()), output
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        output = function()
    return captured.replay, output


def memory_in_use() -> int:
    """Bytes allocated by torch on the device; 0 on the CPU, where nothing counts them."""
    return torch.cuda.memory_allocated() if ON_CUDA else 0


# Tensors from values of the host, whose copy the host waits for.
FROM_THE_HOST = {aten.lift_fresh, aten.lift_fresh_copy}
REFUSED = READING | SHAPED_BY_VALUES | FROM_THE_HOST


class NoWaiting(TorchDispatchMode):
    """Refuses operations that would wait on a device, also in backward passes."""

    def __init__(self, patch):
        super().__init__()
        for name in ("tolist", "cpu", "numpy", "cuda"):  # on the CPU these run no operator

            def refuse(*_, name=name, **__):
                raise AssertionError(f"the host waits: Tensor.{name}")

            patch.setattr(torch.Tensor, name, refuse)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        indexing = func.overloadpacket in (aten.index, aten.index_put, aten.index_put_, aten._index_put_impl_)
        by_mask = indexing and any(i is not None and i.dtype in (torch.bool, torch.uint8) for i in args[1])
        if func.overloadpacket in REFUSED or by_mask:
            raise AssertionError(f"the host waits: {func}")
        return func(*args, **(kwargs or {}))
