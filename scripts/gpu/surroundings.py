"""Print the machine of a stage as JSON, in a process of its own, so that the runner itself uses no GPU.

usage: surroundings.py MODULE...     those that are not installed are in "missing"
"""

import importlib.util
import json
import platform
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any


def look(modules: Sequence[str]) -> dict[str, Any]:
    """GPUs, driver, CPU, versions, apex; without a GPU ``device`` is None; ``missing`` lists missing modules."""
    found: dict[str, Any] = {
        "device": None,
        "devices": 0,
        "driver": None,
        "cpu": cpu(),
        "python": sys.version.split()[0],
    }
    found |= {"torch": None, "cuda": None, "numpy": version("numpy"), "apex": apex()}
    if importlib.util.find_spec("torch") is not None:
        import torch

        found |= {"torch": torch.__version__, "cuda": torch.version.cuda}
        if torch.cuda.is_available():
            found |= {"device": torch.cuda.get_device_name(0), "devices": torch.cuda.device_count(), "driver": driver()}
    found["missing"] = [name for name in modules if not there(name)]
    return found


def there(module: str) -> bool:
    """Whether a module can be found; ``scipy.sparse`` exists only in the real scipy, not in the kit's stand-in."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def apex() -> str | None:
    """The kind of apex, found without importing it (PyPI has another package of that name), or None."""
    spec = importlib.util.find_spec("apex")
    if spec is None:
        return None
    if not any(Path(folder, "multi_tensor_apply").is_dir() for folder in spec.submodule_search_locations or ()):
        return "not NVIDIA's, another package of that name"
    return f"NVIDIA's, {'with' if there('amp_C') else 'without'} its compiled extensions"


def cpu() -> str:
    """The model of the CPU, or its type."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), platform.machine())


def driver() -> str | None:
    """NVIDIA's driver, from nvidia-smi."""
    try:
        query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        return subprocess.run(query, capture_output=True, text=True, check=True).stdout.split()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def version(name: str) -> str | None:
    """The version of an installed distribution."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    print(json.dumps(look(sys.argv[1:])))
