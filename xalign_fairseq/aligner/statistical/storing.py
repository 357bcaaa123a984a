"""A model of one kind of units as a file."""

import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import torch

from xalign_fairseq.aligner.statistical.chain import REACH
from xalign_fairseq.aligner.statistical.models import UnitModel
from xalign_fairseq.aligner.statistical.tables import FIRST, Tables
from xalign_fairseq.aligner.statistical.units import Cutter, make_units
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import atomic_write

DAMAGED = (zipfile.BadZipFile, zlib.error)
"""What numpy raises of archives that are cut off or changed, beside the usual."""


def save_model(model: UnitModel, path: str | os.PathLike[str]) -> None:
    """Write tables, units and pieces; the file appears whole or not at all."""
    tables = model.tables
    arrays: dict[str, Any] = {
        "keys": tables.keys,
        "pairs": tables.pairs.numpy(),
        "null_tgt": tables.null[0].numpy(),
        "null_src": tables.null[1].numpy(),
        "jumps": torch.stack([each for each in tables.jumps if each is not None]).numpy(),
        "src": _bytes("\n".join(tables.src).encode()),
        "tgt": _bytes("\n".join(tables.tgt).encode()),
        "src_model": _bytes(model.cutters[0].units.model),
        "tgt_model": _bytes(model.cutters[1].units.model),
    }
    with atomic_write(path, "wb") as stream:
        np.savez_compressed(stream, **arrays)


def load_model(name: str, path: Path) -> UnitModel:
    """Read what :func:`save_model` wrote.

    Raises:
        XalignError: the file is missing, or is not of its form.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
        src, tgt = (
            {unit: number for number, unit in enumerate(arrays[side].tobytes().decode().split("\n"))}
            for side in ("src", "tgt")
        )
        null = torch.from_numpy(arrays["null_tgt"]), torch.from_numpy(arrays["null_src"])
        jumps = torch.from_numpy(arrays["jumps"])
        tables = Tables(src, tgt, arrays["keys"], torch.from_numpy(arrays["pairs"]), null, (jumps[0], jumps[1]))
        fitting = (
            len(tables.pairs) == FIRST + len(tables.keys) > FIRST
            and tables.keys.dtype == np.int64
            and all(each.dtype == torch.float32 for each in (tables.pairs, jumps, *null))
            and (len(null[0]), len(null[1])) == (len(tgt) + 2, len(src) + 2)
            and jumps.shape == (2, 2 * REACH + 1)
            and tables.pairs.shape[1:] == (2,)
        )
        cutters = tuple(Cutter(make_units(name, [], arrays[f"{side}_model"].tobytes())) for side in ("src", "tgt"))
    except (OSError, KeyError, ValueError, IndexError, EOFError, RuntimeError, *DAMAGED) as error:
        raise XalignError(
            "a statistical model can't be read", where=path, found=error, remedy="train it anew"
        ) from error
    if not fitting:
        raise XalignError("the tables of a statistical model do not fit together", where=path, remedy="train it anew")
    return UnitModel(name, (cutters[0], cutters[1]), tables)


def _bytes(text: bytes) -> np.ndarray:
    return np.frombuffer(text, np.uint8)
