"""Objectives in a folder outside the package, as for fairseq's ``--user-dir``."""

import importlib
import sys
from pathlib import Path

from xalign_fairseq.core.errors import XalignError


def import_folder(folder: str) -> None:
    """Import a package by its folder, which registers its objectives; a second time nothing happens.

    Raises:
        XalignError: there is no package, or another one of its name is imported already.
    """
    path = Path(folder).resolve()
    if not (path / "__init__.py").is_file():
        raise XalignError("there is no package", where=folder, expected="a folder with __init__.py")
    known = sys.modules.get(path.name)
    if known is None:
        sys.path.insert(0, str(path.parent))
        try:
            known = importlib.import_module(path.name)
        finally:
            sys.path.remove(str(path.parent))
    if Path(known.__file__ or "").resolve().parent != path:
        raise XalignError(
            "another package of this name is imported already", where=folder, found=known.__file__, remedy="rename it"
        )
