"""The cores and GPUs that this process may use, and their fast dtypes."""

import ctypes
import logging
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from xalign_fairseq.core.errors import Command, Parameter, XalignError, check_values

if TYPE_CHECKING:
    import torch

logger = logging.getLogger(__name__)

DTYPES = ("auto", "float32", "bfloat16")
CPU_INFO = Path("/proc/cpuinfo")


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def visible_gpus() -> list[str]:
    """The GPUs that this process may use, named as in ``CUDA_VISIBLE_DEVICES``; empty on a CPU."""
    import torch

    named = [name for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    return named[:count] or [str(i) for i in range(count)]


def fast_bfloat16(device: "torch.device") -> bool:
    """Whether a device has instructions for products in bfloat16, faster than in float32."""
    import torch

    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    # torch's own check; not public, and not in every version.
    asked = (getattr(torch.cpu, name, None) for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"))
    return device.type == "cpu" and any(ask() for ask in asked if ask)


class Cpu(NamedTuple):
    """A CPU's vendor, such as ``GenuineIntel``, and its family number, if known."""

    vendor: str
    family: int


def cpu() -> Cpu:
    try:
        text = CPU_INFO.read_text()
    except OSError:  # not Linux
        text = ""
    vendor = re.search(r"^vendor_id\s*:\s*(\S+)", text, re.MULTILINE)
    family = re.search(r"^cpu family\s*:\s*(\d+)", text, re.MULTILINE)
    return Cpu(vendor[1] if vendor else "", int(family[1]) if family else 0)


def training_device(cpu: bool) -> "torch.device":
    """The device that fairseq trains on: the CPU with ``--cpu`` or without a CUDA device."""
    return choose_device("cpu" if cpu else "auto")


def choose_device(name: str) -> "torch.device":
    """The device of an option: ``auto`` is the CUDA device if there is one, otherwise the CPU."""
    import torch

    available = torch.cuda.is_available()
    if name == "auto":
        return torch.device("cuda" if available else "cpu")
    if not re.fullmatch(r"cpu|cuda(:\d{1,3})?", name):
        raise XalignError("unknown device", parameter="device", found=name, expected="auto, cpu or cuda:N")
    device = torch.device(name)
    if device.type == "cuda" and (device.index or 0) >= (torch.cuda.device_count() if available else 0):
        raise XalignError("there is no such GPU", parameter="device", found=name, remedy=("see", Command("doctor")))
    return device


def choose_devices(names: str, dtype: str, processes: int = 1) -> tuple[str, str]:
    """The device of each process, joined by commas, and their dtype from :func:`choose_dtype`.

    ``names`` are devices, such as ``cuda:0,cuda:1``, or the CPU for several processes.
    """
    most = max(16, 4 * cores())  # more would only fill the memory
    check_values("invalid number of processes", ("processes", processes, 1 <= processes <= most, f"1 to {most}"))
    devices = [choose_device(name) for name in names.split(",")]
    if processes > 1 and [device.type for device in devices] != ["cpu"]:
        problem = "several processes need the CPU; each GPU has one process"
        raise XalignError(problem, parameter="processes", found=f"{processes} processes, {names}")
    devices *= processes
    return ",".join(map(str, devices)), choose_dtype(dtype, devices)


def choose_dtype(name: str, devices: Sequence["torch.device"]) -> str:
    """The dtype of an option: ``auto`` is bfloat16 where all devices multiply it natively, otherwise float32."""
    if name not in DTYPES:
        raise XalignError("unknown dtype", parameter="dtype", found=name, expected=" or ".join(DTYPES))
    if name != "auto":
        return name
    if not all(map(fast_bfloat16, devices)):
        return "float32"
    other = Parameter("dtype", "float32")
    logger.info("the encoder computes in bfloat16, which is fast here (float32: %s)", other)
    return "bfloat16"


# glibc's M_MMAP_MAX at 0: no separate mapping for large blocks; and M_TRIM_THRESHOLD at its maximum (malloc.h).
OPTIONS = {-4: 0, -1: 2**31 - 1}

# The number of compiled products, 1.5 MB each, in oneDNN's cache and in torch's (1,024 by default). Each number of
# tokens needs separate ones, 11 for an update of e5-small; compiling one takes less than a millisecond.
COMPILED = "32"
CACHES = ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY")


def keep_freed_memory(device: "torch.device") -> bool:
    """Let a process on the CPU keep freed memory and cache fewer compiled products; returns whether glibc keeps memory.

    The tensors of a step on a CPU take megabytes, and the gradient of a whole vocabulary takes hundreds. glibc maps
    each separately, or shrinks its heap when they are freed, and the system clears the pages at the next allocation.
    This takes a tenth of the time of an e5-small update in bfloat16, and a quarter of an update that trains 250,000
    embeddings of size 256. Call this before the first product.
    """
    if device.type != "cpu":
        return False
    for cache in CACHES:
        os.environ.setdefault(cache, COMPILED)
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return all([mallopt(option, value) for option, value in OPTIONS.items()])
