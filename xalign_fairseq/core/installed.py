"""Which packages are installed, and what training needs in addition to the aligner."""

import importlib.util
import re
import shlex
from importlib import metadata
from typing import NamedTuple

from xalign_fairseq.core.errors import XalignError

FAIRSEQ = "fairseq-fixed==0.12.3.1"
# Not with its dependencies: it asks for torchaudio, which no training here uses, and which breaks transformers where it
# was built for another torch. CUDA_HOME would make it look for .cu files that its sources do not hold.
INSTALL_FAIRSEQ = f"env -u CUDA_HOME pip install --no-build-isolation --no-deps {FAIRSEQ}"
COMPILE_FAIRSEQ = {"cython", "setuptools"}  # of what the extra "train" brings; not needed once fairseq is there


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
    """The packages that fairseq needs to run, and if it is not installed, to compile."""
    there = _has_fairseq()
    return [each for each in requirements("train") if not (there and each.name in COMPILE_FAIRSEQ)]


def missing_for_training() -> tuple[list[str], list[str]]:
    """The packages that training needs and that are not there, and the commands that install them."""
    needs = [each for each in training_requirements() if not version(each.name)]
    missing = [each.name for each in needs]
    commands = [shlex.join(["pip", "install", *map(str, needs)])] if needs else []
    if not _has_fairseq():
        missing.append("fairseq-fixed")
        commands.append(INSTALL_FAIRSEQ)
    return missing, commands


def _has_fairseq() -> bool:
    return importlib.util.find_spec("fairseq") is not None


def require_fairseq() -> None:
    """:class:`XalignError` that says what to install, where fairseq or something that it imports is missing."""
    missing, commands = missing_for_training()
    if missing:
        problem = "training needs fairseq, and not all of it is installed"
        raise XalignError(problem, found=f"no {', '.join(missing)}", remedy=" && ".join(commands))
