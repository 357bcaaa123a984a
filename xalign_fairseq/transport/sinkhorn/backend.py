"""The implementation of Sinkhorn: the reference in torch, or the compiled operator for the CPU or CUDA."""

import functools
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.transport.names import BACKENDS
from xalign_fairseq.transport.precision import dtype_name
from xalign_fairseq.transport.sinkhorn import building, toolchain
from xalign_fairseq.transport.sinkhorn.fused import DTYPES

logger = logging.getLogger(__name__)

_selected = "auto"


def select(name: str) -> None:
    """Choose the implementation for this process, as ``torch.backends`` does.

    Args:
        name: ``auto`` (the compiled operator of a tensor's device if available, otherwise the reference; always the
            reference for float64), ``reference``, ``cpu`` or ``cuda``.

    Raises:
        XalignError: unknown or unavailable backend; the error names the missing part.
    """
    global _selected
    check_values("unknown backend", ("sinkhorn_backend", name, name in BACKENDS, " or ".join(BACKENDS)))
    if name in ("cpu", "cuda"):
        _require(name, torch.cuda.current_device() if name == "cuda" and torch.cuda.is_available() else 0)
    _selected = name


def selected() -> str:
    """The name given to :func:`select`; initially ``auto``."""
    return _selected


@contextmanager
def using(name: str) -> Iterator[None]:
    """:func:`select` for a block."""
    global _selected
    before = _selected
    select(name)
    try:
        yield
    finally:
        _selected = before


def chosen(tensor: Tensor) -> str:
    """The implementation for hidden states or similarities: ``reference``, ``cpu`` or ``cuda``.

    It depends on the tensor's device and dtype only, and reads nothing from the device. The first call for a device may
    compile; ``auto`` then logs its choice with the reason.

    Raises:
        XalignError: the selected backend does not support this device or dtype.
    """
    device = tensor.device
    return _constant(_selected, device.type, device.index, tensor.dtype)


def _constant(selected: str, device: str, index: int | None, dtype: torch.dtype) -> str:
    return decide(selected, device, index, dtype)[0]


# torch.compile then calls it while tracing and treats the answer as a constant, as with
# torch.compiler.assume_constant_result, which imports all of torch's compiler.
_constant._dynamo_marked_constant = True  # type: ignore[attr-defined]


@functools.cache
def decide(selected: str, device: str, index: int | None, dtype: torch.dtype) -> tuple[str, str]:
    """The implementation for a device and a dtype, and the reason; :class:`XalignError` if none is available."""
    if selected == "reference":
        return "reference", "it is selected"
    if selected != "auto":
        if selected != device or dtype not in DTYPES:
            problem = f"the Sinkhorn backend {selected} does not support these tensors"
            raise XalignError(problem, parameter="sinkhorn_backend", found=f"{dtype} on {device}")
        _require(selected, index)
        return selected, "it is selected"
    choice, why = _automatic(device, index, dtype)
    where = device if index is None else f"{device}:{index}"
    logger.info("Sinkhorn on %s, %s: %s, %s", where, dtype_name(dtype), choice, why)
    return choice, why


def _automatic(device: str, index: int | None, dtype: torch.dtype) -> tuple[str, str]:
    if dtype not in DTYPES:
        return "reference", "the compiled operators have no such dtype"
    if device not in toolchain.SOURCES:
        return "reference", f"there is no compiled operator for {device}"
    fault = fault_of(device, index)
    if fault is not None:
        reason = "; ".join(map(str.strip, str(fault).splitlines()))
        return "reference", f"because the compiled operator is not available: {reason}"
    return device, "the compiled operator"


def _require(kind: str, index: int | None) -> None:
    fault = fault_of(kind, index)
    if fault is not None:
        raise fault.with_traceback(None)  # an old traceback would keep its frames alive


@functools.cache
def fault_of(kind: str, index: int | None) -> XalignError | None:
    """Why a compiled operator is not available on a device; None if it is."""
    if kind == "cuda":
        lacking = _device_fault(index or 0)
        if lacking is not None:
            return lacking
    try:
        building.library(kind)
        message = building.cuda_fault(index or 0) if kind == "cuda" else None
    except XalignError as error:
        return error
    except OSError as error:  # from the disk, or from a compiler that can't be started
        return XalignError("the compiled operator cannot be built", found=error)
    if message is None:
        return None
    record = building.built(kind).record
    return XalignError(
        "the GPU cannot run the compiled kernels",
        where=f"cuda:{index or 0}, {record['compiler']}, compiled for {record['target']}",
        found=message,
        expected="a driver as new as that toolkit, and this GPU's architecture",
        remedy="update the driver, install an older toolkit, or add this GPU to TORCH_CUDA_ARCH_LIST",
    )


def _device_fault(index: int) -> XalignError | None:
    """The requirement that a device lacks for any library."""
    if not torch.cuda.is_available():
        built = f"torch is built for CUDA {torch.version.cuda}" if torch.version.cuda else "torch is built for the CPU"
        return XalignError("no GPU is available", where="torch.cuda.is_available()", found=built)
    capability = torch.cuda.get_device_capability(index)
    if capability < building.OLDEST_CAPABILITY:
        return XalignError(
            "the GPU is too old for the compiled operator",
            where=f"cuda:{index}",
            found="compute capability {}.{}".format(*capability),
            expected="{}.{} or higher".format(*building.OLDEST_CAPABILITY),
        )
    return None
