"""Filters of training sentences for ``xalign prepare``: length, ratio, language, and duplicates."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, file_sha256

LABEL = "__label__"  # prefix of fastText's language names
MODELS = "lid.176.bin or lid.176.ftz, see https://fasttext.cc/docs/en/language-identification.html"


def in_language(path: StrPath, language: str, lines: Sequence[str]) -> np.ndarray:
    """(n,) bool: the lines whose most probable language is this one."""
    wanted = LABEL + code(language)
    predict = _load(os.fspath(path)).predict
    # A line without known parts has no label.
    return np.array([wanted in predict(line)[0] for line in lines], dtype=bool)


def require_model(path: StrPath) -> None:
    _load(os.fspath(path))


def code(language: str) -> str:
    """The language of a code, without its region or script."""
    return re.split("[_-]", language)[0]


@lru_cache(maxsize=1)
def _load(path: str) -> Any:
    try:
        import fasttext
    except ImportError:
        raise XalignError(
            "language identification needs fastText", where=path, remedy="pip install fasttext-predict"
        ) from None
    if not os.path.isfile(path):
        raise XalignError("there is no language identification model", where=path, expected=MODELS)
    try:
        model = fasttext.load_model(path)
        model.predict("a")
    except (ValueError, RuntimeError, MemoryError) as error:
        problem = "the file is not a fastText model that identifies languages"
        raise XalignError(problem, where=path, found=error, expected=MODELS) from None
    return model


# Reasons for dropping, as the manifest has them.
TOO_SHORT, TOO_LONG, UNEVEN = "too short", "too long", "length ratio"
OTHER_LANGUAGE, REPEATED = "other language", "duplicate"
REASONS = (TOO_SHORT, TOO_LONG, UNEVEN, OTHER_LANGUAGE, REPEATED)


@dataclass(frozen=True)
class Filters:
    """Conditions on a sentence, or on each side of a pair; lengths are in tokens, without ``</s>``."""

    min_length: int | None = None
    max_length: int | None = None
    max_length_ratio: float | None = None
    deduplicate: bool = False  # keep only the first of identical pairs (both sides) or lines
    language_model: str | None = None  # of fastText; the most probable language of each side must be its own

    @property
    def given(self) -> dict[str, Any]:
        """The active filters, for the manifest; the model by its file's name and hash."""
        found = {name: value for name, value in asdict(self).items() if value not in (None, False)}
        if self.language_model is not None:
            path = Path(self.language_model)
            found["language_model"] = f"{path.name} {file_sha256(path)[:16]}"
        return found

    def check(self) -> None:
        """Raise :class:`XalignError` if nothing could pass."""
        for name in ("min_length", "max_length", "max_length_ratio"):
            value = getattr(self, name)
            if value is not None and not value >= 1:
                raise XalignError("a filter is out of range", parameter=name, found=value, expected="1 or more")
        if self.min_length is not None and self.max_length is not None and self.min_length > self.max_length:
            found = f"{self.min_length} and {self.max_length}"
            raise XalignError("no length passes the filters", parameter=("min_length", "max_length"), found=found)

    def failing(
        self, sizes: Sequence[np.ndarray], texts: Mapping[str, Sequence[str]], repeated: np.ndarray | None
    ) -> Iterator[tuple[str, np.ndarray]]:
        """Each filter's reason and the sentences (n,) bool that fail it."""
        shorter, longer = np.minimum.reduce(sizes), np.maximum.reduce(sizes)
        if self.min_length is not None:
            yield TOO_SHORT, shorter < self.min_length
        if self.max_length is not None:
            yield TOO_LONG, longer > self.max_length
        if self.max_length_ratio is not None and len(sizes) > 1:
            yield UNEVEN, longer > self.max_length_ratio * shorter
        if self.language_model is not None:
            found = [in_language(self.language_model, language, lines) for language, lines in texts.items()]
            yield OTHER_LANGUAGE, ~np.logical_and.reduce(found)
        if repeated is not None:
            yield REPEATED, repeated


class SeenHashes:
    """A set of 64-bit hashes in a table of 10 bytes per expected hash, filled many at a time.

    About n^2 / 2^65 of n different sentences collide: for n = 10^9, one collision in 37 texts.
    """

    def __init__(self, expected: int):
        self._cells = np.zeros(expected + expected // 4 + 1, dtype=np.uint64)  # 0 is a free cell

    def add(self, hashes: np.ndarray) -> np.ndarray:
        """Add hashes (n,) uint64; returns (n,) bool, the hashes that occurred before, here or in an earlier call."""
        left, rows = np.unique(np.maximum(hashes, np.uint64(1)), return_index=True)
        before = np.ones(len(hashes), dtype=bool)
        count = len(self._cells)
        places = (left % np.uint64(count)).astype(np.int64)
        while len(left):
            free = self._cells[places] == 0
            self._cells[places[free]] = left[free]  # one of several gets the cell
            own = self._cells[places] == left
            before[rows[free & own]] = False
            left, rows, places = left[~own], rows[~own], (places[~own] + 1) % count
        return before


def line_hashes(sides: Sequence[Sequence[str]]) -> np.ndarray:
    """64-bit hashes (n,) uint64 of pairs, or of lines: the same on every machine."""
    rows = ("\n".join(row).encode() for row in zip(*sides, strict=True))
    return np.frombuffer(b"".join(blake2b(row, digest_size=8).digest() for row in rows), dtype="<u8")
