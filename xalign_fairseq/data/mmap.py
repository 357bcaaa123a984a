"""fairseq's mmap format: a ``.bin`` file of ids and a ``.idx`` file of sizes and byte offsets.

``PREFIX.idx`` is ``MMIDIDX\\0\\0``, the version (1, uint64), the dtype's code (uint8), the number of items (uint64),
then the int32 sizes and the int64 byte offsets of the items; all little-endian. ``PREFIX.bin`` holds the concatenated
items. The files are byte for byte those of ``fairseq-preprocess``.
"""

import os
import shutil
import struct
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, atomic_write

MAGIC = b"MMIDIDX\x00\x00"
HEADER = struct.Struct("<9sQBQ")
# The codes 6 and 7 are floating point, which ids never are.
DTYPES: dict[int, np.dtype] = {
    1: np.dtype("u1"),
    2: np.dtype("i1"),
    3: np.dtype("<i2"),
    4: np.dtype("<i4"),
    5: np.dtype("<i8"),
    8: np.dtype("<u2"),
    9: np.dtype("<u4"),
    10: np.dtype("<u8"),
}
CODES = {dtype: code for code, dtype in DTYPES.items()}


def dtype_for_vocabulary(size: int) -> np.dtype:
    """The dtype of ``fairseq-preprocess`` for ``size`` symbols: uint16 below 65500, otherwise uint32."""
    return np.dtype("<u2") if size < 65500 else np.dtype("<u4")


def bin_path(prefix: StrPath) -> Path:
    return Path(f"{os.fspath(prefix)}.bin")


def idx_path(prefix: StrPath) -> Path:
    return Path(f"{os.fspath(prefix)}.idx")


def sizes_path(prefix: StrPath) -> Path:
    """``PREFIX.sizes``: the sizes of items that are being written."""
    return Path(f"{os.fspath(prefix)}.sizes")


def _opened(path: Path, size: int) -> BinaryIO:
    """A file to continue after its first bytes."""
    stream = open(path, "r+b" if size else "wb")  # noqa: SIM115 closed with its writer
    stream.truncate(size)
    stream.seek(size)
    return stream


class MMapWriter:
    """Write items of ids to ``PREFIX.bin`` and ``PREFIX.idx``; a context manager.

    Until the end, ``PREFIX.sizes`` holds the sizes of the items: memory does not grow with their number.
    Ids that the dtype can't hold are an error: fairseq's own writer wraps 70000 to 4464 in uint16. If the block ends
    with an error, neither file is left behind.

    Args:
        dtype: an integer dtype of the format, see :func:`dtype_for_vocabulary`.
        place: where to continue unfinished files, from :meth:`place` of the earlier writer.
        keep: keep unfinished files if the block ends with an error.

    Raises:
        XalignError: an id is negative or too large for the dtype, or the dtype isn't one of the format's.
    """

    def __init__(self, prefix: StrPath, dtype: npt.DTypeLike, place: tuple[int, int] = (0, 0), keep: bool = False):
        self.prefix = os.fspath(prefix)
        self.dtype = np.dtype(dtype).newbyteorder("<")
        if self.dtype not in CODES:
            raise XalignError("the mmap format does not support this dtype", where=self.prefix, found=self.dtype)
        self._keep = keep
        self._stream = _opened(bin_path(prefix), place[0])
        self._sizes = _opened(sizes_path(prefix), place[1])

    def add(self, ids: npt.ArrayLike) -> None:
        """Append one item: a flat sequence or array of ints (N,)."""
        flat = np.asarray(ids).ravel()
        self.add_many(flat, [flat.size])

    def add_many(self, flat: npt.ArrayLike, sizes: Sequence[int] | np.ndarray) -> None:
        """Append several items at once: their concatenated ids (N,) and their sizes, which sum to N."""
        values = np.asarray(flat).ravel()
        counts = np.asarray(sizes, dtype=np.int32)
        if counts.sum(dtype=np.int64) != values.size:
            raise ValueError(f"the sizes sum to {counts.sum(dtype=np.int64)}, but there are {values.size} ids")
        if values.size:
            bounds = np.iinfo(self.dtype)
            low, high = int(values.min()), int(values.max())
            if low < bounds.min or high > bounds.max:
                problem, found = f"an id does not fit into {self.dtype.name}", low if low < bounds.min else high
                raise XalignError(problem, where=bin_path(self.prefix), found=found)
        self._stream.write(values.astype(self.dtype, copy=False).tobytes())
        self._sizes.write(counts.astype("<i4", copy=False).tobytes())

    def place(self) -> tuple[int, int]:
        """The sizes of both files on disk, in bytes."""
        for stream in (self._stream, self._sizes):
            stream.flush()
            os.fsync(stream.fileno())
        return self._stream.tell(), self._sizes.tell()

    def close(self) -> None:
        """Finish ``.bin`` and write ``.idx``."""
        _, bytes_of_sizes = self.place()  # find a full disk here, not after the folder has its final name
        self._stream.close()
        self._sizes.close()
        with atomic_write(idx_path(self.prefix), "wb") as stream, open(sizes_path(self.prefix), "rb") as sizes:
            stream.write(HEADER.pack(MAGIC, 1, CODES[self.dtype], bytes_of_sizes // 4))
            shutil.copyfileobj(sizes, stream, 1 << 24)
            sizes.seek(0)
            total = 0
            while raw := sizes.read(1 << 24):
                counts = np.frombuffer(raw, dtype="<i4").astype("<i8")
                ends = np.cumsum(counts) + total
                stream.write(((ends - counts) * self.dtype.itemsize).astype("<i8").tobytes())
                total = int(ends[-1])
        sizes_path(self.prefix).unlink()

    def __enter__(self) -> "MMapWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
            return
        self._stream.close()
        self._sizes.close()
        if not self._keep:
            for path in (bin_path, idx_path, sizes_path):
                path(self.prefix).unlink(missing_ok=True)


class MMapReader:
    """Read items from ``PREFIX.bin`` and ``PREFIX.idx`` without loading either: both are memory maps.

    ``reader[i]`` is a new int64 array (N,); ``len(reader)`` the number of items; ``reader.sizes`` the items' lengths, a
    read-only int32 memory map. A reader can be pickled: it opens its files again in the other process.

    Raises:
        XalignError: a file is missing, is not of this format, or is shorter or longer than its index says.
    """

    def __init__(self, prefix: StrPath):
        self.prefix = os.fspath(prefix)
        index, data = idx_path(self.prefix), bin_path(self.prefix)
        for path in (index, data):
            if not path.is_file():
                raise XalignError("the file does not exist", where=path, remedy="prepare the data again")
        self.dtype, count = _read_header(index)
        _expect_bytes(index, HEADER.size + 12 * count)
        self.sizes: np.ndarray = _map(index, np.dtype("<i4"), HEADER.size, count)
        # A plain view of the same memory: an item of a np.memmap takes five times as long.
        self._sizes = np.asarray(self.sizes)
        self._pointers = np.asarray(_map(index, np.dtype("<i8"), HEADER.size + 4 * count, count))
        total = int(self._pointers[-1]) // self.dtype.itemsize + int(self.sizes[-1]) if count else 0
        _expect_bytes(data, total * self.dtype.itemsize)
        self._data = np.asarray(_map(data, self.dtype, 0, total))

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, index: int) -> np.ndarray:
        if not -len(self) <= index < len(self):
            raise IndexError(f"item {index} of {len(self)} in {self.prefix}")
        index, item = index % len(self), self.dtype.itemsize
        start, size = int(self._pointers[index]) // item, int(self._sizes[index])
        following = int(self._pointers[index + 1]) // item if index + 1 < len(self) else len(self._data)
        if not 0 <= start <= start + size == following <= len(self._data):
            where, found = f"{self.prefix}.idx, item {index}", f"{size} tokens from {start}, then {following}"
            raise XalignError("the mmap index is damaged", where=where, found=found, remedy="copy the file again")
        return self._data[start : start + size].astype(np.int64)

    @property
    def tokens(self) -> int:
        """The total number of tokens."""
        return len(self._data)

    def span(self, start: int, stop: int) -> np.ndarray:
        """Tokens ``start ... stop`` of the concatenated items, as a new int64 array."""
        return self._data[start:stop].astype(np.int64)

    def __getstate__(self) -> dict[str, Any]:
        return {"prefix": self.prefix}

    def __setstate__(self, state: dict[str, Any]) -> None:
        MMapReader.__init__(self, state["prefix"])


def _read_header(path: Path) -> tuple[np.dtype, int]:
    with open(path, "rb") as stream:
        raw = stream.read(HEADER.size)
    magic, version, code, count = HEADER.unpack(raw) if len(raw) == HEADER.size else (raw, 0, 0, 0)
    if magic != MAGIC:
        raise XalignError("the file is not an mmap index, or it is truncated", where=path, found=magic[:9])
    if version != 1 or code not in DTYPES:
        found = f"version {version}, dtype code {code}"
        raise XalignError("the mmap index has an unknown version or dtype", where=path, found=found)
    return DTYPES[code], count


def _expect_bytes(path: Path, expected: int) -> None:
    found = path.stat().st_size
    if found != expected:
        problem = "the file does not have the size that its index gives"
        raise XalignError(problem, where=path, found=f"{found} bytes", expected=f"{expected} bytes")


def _map(path: Path, dtype: np.dtype, offset: int, count: int) -> np.ndarray:
    if count == 0:  # a memory map can't be empty
        return np.zeros(0, dtype=dtype)
    return np.memmap(path, dtype=dtype, mode="r", offset=offset, shape=(count,))
