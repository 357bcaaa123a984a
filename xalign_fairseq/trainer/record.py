"""The origin of a run in its record: the commit of the sources, and the machine."""

import os
import platform
import subprocess
from pathlib import Path

from xalign_fairseq.trainer.fairseq_train import USER_DIR


def commit(file: Path = USER_DIR / "__init__.py") -> str | None:
    """The short hash of the commit that a source file is checked out from, ``-dirty`` behind it if sources differ.

    Args:
        file: by default the package's own; a script gives its own, since the package may be an installed copy.

    Returns:
        if git is missing or does not know the file (an installed package may be inside another checkout): the
        environment variable XALIGN_COMMIT, which scripts/gpu sets for its copy of the sources, or None.
    """
    git = ("git", "-C", str(file.parent))
    if _output(*git, "ls-files", "--error-unmatch", file.name) is None:
        return os.environ.get("XALIGN_COMMIT") or None
    return _output(*git, "describe", "--always", "--dirty", "--exclude", "*")  # tags would replace it


def machine(cpu: bool = False) -> str:
    """The name of the GPU that is in use, or the kind of the CPU. Loads no torch.

    Args:
        cpu: whether the run used the CPU even if there is a GPU.
    """
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    names = None
    if not cpu and visible not in ("", "-1"):
        query = ("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
        # CUDA knows more names than nvidia-smi, such as those of a GPU's parts.
        names = _output(*query, "-i", visible) or _output(*query)
    return names.splitlines()[0] if names else f"{platform.machine()} CPU"


def _output(*command: str) -> str | None:
    """The output of a program; None if it fails or is not installed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
