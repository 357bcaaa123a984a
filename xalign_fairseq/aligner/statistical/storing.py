"""A model of one kind of units as arrays, for files."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from xalign_fairseq.aligner.statistical.chain import REACH
from xalign_fairseq.aligner.statistical.models import UnitModel
from xalign_fairseq.aligner.statistical.tables import FIRST, Tables
from xalign_fairseq.aligner.statistical.units import make_units
from xalign_fairseq.core.array_files import ArrayForm
from xalign_fairseq.core.errors import XalignError

NULL = ("null_tgt", "null_src")
FORM = {
    "keys": ArrayForm(np.int64, 1),
    **dict.fromkeys(("pairs", "jumps"), ArrayForm(np.float32, 2)),
    **dict.fromkeys(NULL, ArrayForm(np.float32, 1)),
    **dict.fromkeys(("src", "tgt", "src_model", "tgt_model"), ArrayForm(np.uint8, 1)),
}
MOST = 1.001  # of a probability, with what rounding adds
ANEW = "train it anew"


def arrays_of(model: UnitModel) -> dict[str, np.ndarray]:
    """Tables, units and pieces."""
    tables = model.tables
    return {
        "keys": tables.keys,
        "pairs": tables.pairs,
        "null_tgt": tables.null[0],
        "null_src": tables.null[1],
        "jumps": np.stack([each for each in tables.jumps if each is not None]),
        "src": _bytes("\n".join(tables.src).encode()),
        "tgt": _bytes("\n".join(tables.tgt).encode()),
        "src_model": _bytes(model.units[0].model),
        "tgt_model": _bytes(model.units[1].model),
    }


def model_of(name: str, arrays: Mapping[str, np.ndarray], path: Path) -> UnitModel:
    """The inverse of :func:`arrays_of`, from a file; :class:`XalignError` if the arrays do not fit together."""
    jumps, pairs, null_tgt, null_src = (arrays[part] for part in ("jumps", "pairs", *NULL))
    try:
        src, tgt = (
            {unit: number for number, unit in enumerate(arrays[side].tobytes().decode().split("\n"))}
            for side in ("src", "tgt")
        )
        units = tuple(make_units(name, {}, arrays[f"{side}_model"].tobytes()) for side in ("src", "tgt"))
    except (ValueError, RuntimeError) as error:
        raise XalignError("a statistical model can't be read", where=path, found=error, remedy=ANEW) from error
    keys, most = arrays["keys"], len(src) * (len(tgt) + 1)
    if not (
        len(pairs) == FIRST + len(keys) > FIRST
        and (len(null_tgt), len(null_src)) == (len(tgt) + 2, len(src) + 2)
        and jumps.shape == (2, 2 * REACH + 1)
        and pairs.shape[1] == 2
        and 0 <= keys[0] <= keys[-1] < most
        and bool((np.diff(keys) > 0).all())
        and all(bool(((each >= 0) & (each <= MOST)).all()) for each in (pairs, jumps, null_tgt, null_src))
    ):
        raise XalignError("the tables of a statistical model do not fit together", where=path, remedy=ANEW)
    sources, targets = np.divmod(keys, len(tgt) + 1)
    starts = np.searchsorted(sources, np.arange(len(src) + 1))
    tables = Tables(src, tgt, starts, targets.astype(np.int32), pairs, (null_tgt, null_src), (jumps[0], jumps[1]))
    return UnitModel(name, (units[0], units[1]), tables)


def _bytes(text: bytes) -> np.ndarray:
    return np.frombuffer(text, np.uint8)
