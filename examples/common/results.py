"""A run's results as two files: its facts as JSON, and counts of every test item."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import read_json, write_json


def write(path: Path, record: Mapping[str, Any], counts: Mapping[str, np.ndarray]) -> None:
    """Write ``path``, a ``.json``, and, before it, counts (items, K) in the smallest integers as ``.npz``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    small = {name: table.astype(np.min_scalar_type(int(table.max()))) for name, table in counts.items()}
    with atomic_write(path.with_suffix(".npz"), "wb") as out:
        np.savez_compressed(out, **small)
    write_json(path, record)


def read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The record and the counts that :func:`write` has written."""
    with np.load(path.with_suffix(".npz")) as counts:
        return read_json(path), dict(counts)
