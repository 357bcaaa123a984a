"""A pass over a text by compiled code (``csrc/statistics.h``), equal to ``reference.py``."""

import ctypes

import numpy as np
import torch

from xalign_fairseq.aligner.statistical.reference import Counts
from xalign_fairseq.aligner.statistical.sentences import UnitText
from xalign_fairseq.aligner.statistical.tables import NO_PARTNER, REACH, Factors, Tables
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.sinkhorn.building import library


class TextPass(ctypes.Structure):
    """``struct TextPass`` of csrc/statistics.h, field by field."""

    _fields_ = (
        ("pairs", ctypes.c_int64),
        *((name, ctypes.c_void_p * 2) for name in ("units", "starts")),
        ("sizes", ctypes.c_int64 * 2),
        *((name, ctypes.c_void_p) for name in ("fits", "rows", "targets", "table")),
        *((name, ctypes.c_void_p * 2) for name in ("null", "jumps", "owners", "words")),
        *((name, ctypes.c_void_p) for name in ("cells", "factors", "links")),
        *((name, ctypes.c_void_p * 2) for name in ("alone", "counts")),
        ("scores", ctypes.c_void_p),
        *((name, ctypes.c_double) for name in ("no_partner", "share")),
        *((name, ctypes.c_int64) for name in ("reach", "threads")),
    )


class _Call:
    """The structure and the arrays that it points to."""

    def __init__(self, text: UnitText, sizes: tuple[int, int]):
        self._kept: list[np.ndarray] = []
        self.made = TextPass(pairs=len(text.fits), reach=REACH, no_partner=float(NO_PARTNER))
        self.made.threads, self.made.sizes = torch.get_num_threads(), sizes
        self.set("fits", text.fits, np.bool_)
        for name, dtype in (("starts", np.int64), ("owners", np.int32), ("words", np.int32)):
            self.set_both(name, [getattr(side, name) for side in text.sides], dtype)
        self.set_both("units", [side.ids for side in text.sides], np.int32)

    def set(self, name: str, array: np.ndarray | None, dtype: type) -> None:
        setattr(self.made, name, self._address(array, dtype))

    def set_both(self, name: str, arrays: "list[np.ndarray] | tuple[np.ndarray | None, ...]", dtype: type) -> None:
        setattr(self.made, name, tuple(self._address(each, dtype) for each in arrays))

    def set_tables(self, tables: Tables, factors: Factors | None) -> None:
        for name, array, dtype in (
            ("rows", tables.starts, np.int64),
            ("targets", tables.targets, np.int32),
            ("table", tables.pairs, np.float32),
            ("factors", None if factors is None else factors.values, np.float32),
        ):
            self.set(name, array, dtype)
        self.set_both("null", tables.null, np.float32)
        self.set_both("jumps", tables.jumps, np.float32)

    def run(self) -> None:
        if library("cpu").xalign_statistics(ctypes.byref(self.made)):
            raise XalignError("there is not enough memory for the statistics of this text")

    def _address(self, array: np.ndarray | None, dtype: type) -> int | None:
        if array is None:
            return None
        self._kept.append(np.ascontiguousarray(array, dtype))
        return self._kept[-1].ctypes.data


def seen_pairs(text: UnitText, sizes: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    function = library("cpu").xalign_seen_pairs
    function.restype, function.argtypes = ctypes.c_int64, (ctypes.c_void_p,) * 3
    call, starts = _Call(text, sizes), np.empty(sizes[0] + 1, np.int64)
    count = function(ctypes.addressof(call.made), starts.ctypes.data, None)
    if count < 0:
        raise XalignError("there is not enough memory for the statistics of this text")
    targets = np.empty(count, np.int32)
    function(ctypes.addressof(call.made), starts.ctypes.data, targets.ctypes.data)
    return starts, targets


def expected_counts(tables: Tables, text: UnitText, factors: Factors | None = None) -> Counts:
    call, counts = _Call(text, (len(tables.src), len(tables.tgt))), Counts.none(tables)
    call.set_tables(tables, factors)
    call.set("cells", None if factors is None else factors.cells, np.int64)
    call.set("links", counts.links, np.float64)
    call.set_both("alone", counts.alone, np.float64)
    call.set_both("counts", counts.jumps, np.float64)
    call.run()
    return counts


def add_scores(
    tables: Tables, text: UnitText, cells: np.ndarray, scores: np.ndarray, share: float, factors: Factors | None = None
) -> None:
    call = _Call(text, (len(tables.src), len(tables.tgt)))
    call.set_tables(tables, factors)
    call.set("cells", cells, np.int64)
    call.set("scores", scores, np.float32)
    call.made.share = share
    call.run()
