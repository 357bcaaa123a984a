"""Checks of the compiled operators: compilers, libraries, and the operator of each device."""

from collections.abc import Callable

import torch

from xalign_fairseq.core.errors import Finding, XalignError
from xalign_fairseq.transport.ops import products
from xalign_fairseq.transport.sinkhorn import backend, building, toolchain


def sinkhorn() -> list[Finding]:
    """The compilers, the package's libraries, and the choice of ``--sinkhorn-backend auto``."""
    return [_found("C++ compiler", _compiler), _found("nvcc", _nvcc), *_prebuilt(), *_automatic()]


def _found(topic: str, look: Callable[[], str]) -> Finding:
    """A missing compiler is a note, not an error: the reference needs no compiler."""
    try:
        return Finding("ok", topic, look())
    except XalignError as error:
        return Finding("note", topic, error)


def _compiler() -> str:
    command = toolchain.find_compiler()
    return f"{toolchain.compiler_version(command)} at {' '.join(command)}"


def _nvcc() -> str:
    path = toolchain.find_nvcc()
    return f"{toolchain.nvcc_release(path)} at {path}"


def _prebuilt() -> list[Finding]:
    """One line for each library built with the package."""
    found = []
    for kind in toolchain.SOURCES:
        if (building.PREBUILT_FOLDER / kind).is_dir():
            fault = building.prebuilt_fault(kind)
            text = f"in {building.PREBUILT_FOLDER / kind}"
            place = f"{text}: {fault}" if fault else text
            found.append(Finding("note" if fault else "ok", f"prebuilt for {kind}", place))
    return found


def _automatic() -> list[Finding]:
    """The operator that runs on each device; compiles it if needed, as training does."""
    devices = [("cpu", None), *(("cuda", index) for index in range(torch.cuda.device_count()))]
    found = []
    for device, index in devices:
        choice, why = backend.decide("auto", device, index, torch.float32)
        topic = f"Sinkhorn on {device if index is None else f'{device}:{index}'}"
        if choice == "reference":
            found.append(Finding("note", topic, f"the reference in torch, {why}"))
        else:
            made = building.built(choice)
            found.append(Finding("ok", topic, f"{why}, for {made.record['target']}, in {made.folder}"))
    return found


def linear_products() -> Finding:
    """The library that multiplies float32 matrices on the CPU."""
    library, _, why = products.chosen()
    return Finding("ok", "float32 products", f"{library}, {why}")
