"""A kit: a folder with kit.json, which lists its content, its commit and its Python version.

Uses only the standard library, because nothing is installed on the machine yet.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

MANIFEST = "kit.json"
WHEELS, SOURCES, REQUIREMENTS = "wheels", "source", "requirements.txt"  # in every kit
DATA, ENCODER = "data.tar.xz", "encoder.bin"
LARGEST = 55_000_000  # bytes: the limit for a transfer to the machine


class KitError(Exception):
    """An error in a kit or its results, with the remedy; printed without a traceback."""


def read(kit: Path) -> dict[str, Any]:
    """The manifest of a kit that this Python can use."""
    if not (kit / MANIFEST).is_file():
        raise KitError(f"{kit} is not a kit: it has no {MANIFEST}; scripts/gpu/pack.sh FOLDER makes one")
    manifest = json.loads((kit / MANIFEST).read_text(encoding="utf-8"))
    missing = [name for name in (WHEELS, SOURCES, REQUIREMENTS) if not (kit / name).exists()]
    if missing:
        raise KitError(f"the kit in {kit} is incomplete: it lacks {', '.join(missing)}; pack it again")
    here = "{}.{}".format(*sys.version_info)
    if manifest["python"] != here:
        raise KitError(
            f"the kit in {kit} is for Python {manifest['python']}, but this is {here}; "
            f"run it with PYTHON=python{manifest['python']}, or pack one with TARGET={here}"
        )
    return manifest


def size(path: Path) -> int:
    """The size in bytes of a file, or of all files in a folder."""
    return sum(each.stat().st_size for each in ([path] if path.is_file() else path.rglob("*")) if each.is_file())


def tell(main: Callable[[], int]) -> int:
    """The exit code of a script's ``main``: 2 for a :class:`KitError`, which is printed on standard error."""
    try:
        return main()
    except KitError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
