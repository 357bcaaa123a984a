"""What ``xalign doctor`` finds of Sinkhorn's compiled operators: compilers, libraries, and what would run."""

from collections.abc import Callable

from xalign_fairseq.cli._doctor_findings import Finding
from xalign_fairseq.core.errors import XalignError, command_line_text


def sinkhorn() -> list[Finding]:
    """The compilers, the libraries that came with the package, and what ``--sinkhorn-backend auto`` takes."""
    return [_found("C++ compiler", _compiler), _found("nvcc", _nvcc), *_prebuilt(), *_automatic()]


def _found(topic: str, look: Callable[[], str]) -> Finding:
    """A missing compiler is worth knowing and not wrong: the reference runs without."""
    try:
        return Finding("ok", topic, look())
    except XalignError as error:
        return Finding("note", topic, command_line_text(error))


def _compiler() -> str:
    from xalign_fairseq.transport.sinkhorn import toolchain

    command = toolchain.find_compiler()
    return f"{toolchain.compiler_version(command)} at {' '.join(command)}"


def _nvcc() -> str:
    from xalign_fairseq.transport.sinkhorn import toolchain

    path = toolchain.find_nvcc()
    return f"{toolchain.nvcc_release(path)} at {path}"


def _prebuilt() -> list[Finding]:
    """One line for each library that was built with the package."""
    from xalign_fairseq.transport.sinkhorn import building, toolchain

    found = []
    for kind in toolchain.SOURCES:
        if (building.PREBUILT_FOLDER / kind).is_dir():
            fault = building.prebuilt_fault(kind)
            text = f"in {building.PREBUILT_FOLDER / kind}"
            found.append(
                Finding("note" if fault else "ok", f"prebuilt for {kind}", f"{text}: {fault}" if fault else text)
            )
    return found


def _automatic() -> list[Finding]:
    """What runs on each device; compiles it if need be, which is what a training would do."""
    import torch

    from xalign_fairseq.transport.sinkhorn import backend, building

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
