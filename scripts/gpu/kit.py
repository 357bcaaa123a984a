"""What a kit is: its folder, and kit.json, which says what was packed, from which sources and for which Python.

Standard library alone: it is read on a machine where nothing is installed yet.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

MANIFEST = "kit.json"
WHEELS, SOURCES, REQUIREMENTS = "wheels", "source", "requirements.txt"  # every kit has these
DATA, ENCODER = "data.tar.xz", "encoder.bin"
LARGEST = 55_000_000  # bytes: what can be taken along to the machine


class KitError(Exception):
    """What is wrong with a kit or its results, and what to do; printed without a traceback."""


def read(kit: Path) -> dict[str, Any]:
    """The manifest of a kit that this Python can use."""
    if not (kit / MANIFEST).is_file():
        raise KitError(f"{kit} is no kit: it has no {MANIFEST}; scripts/gpu/pack.sh FOLDER makes one")
    manifest = json.loads((kit / MANIFEST).read_text(encoding="utf-8"))
    missing = [name for name in (WHEELS, SOURCES, REQUIREMENTS) if not (kit / name).exists()]
    if missing:
        raise KitError(f"the kit in {kit} is not whole: it lacks {', '.join(missing)}; pack it again")
    here = "{}.{}".format(*sys.version_info)
    if manifest["python"] != here:
        raise KitError(
            f"the kit in {kit} is for Python {manifest['python']} and this is {here}; "
            f"run it by PYTHON=python{manifest['python']}, or pack one with --python {here}"
        )
    return manifest


def size(path: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    return sum(each.stat().st_size for each in ([path] if path.is_file() else path.rglob("*")) if each.is_file())


def tell(main: Callable[[], int]) -> int:
    """The exit code of a script's ``main``; a :class:`KitError` is printed on standard error and gives 2."""
    try:
        return main()
    except KitError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
