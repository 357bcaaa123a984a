"""Arrays in ``.npz`` files: names, types and sizes are checked before memory is allocated."""

import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from xalign_fairseq.core.errors import Text, XalignError
from xalign_fairseq.core.files import StrPath, atomic_write, nearly

MOST_BYTES = 1 << 34  # of all arrays of a file
MOST_ARRAYS = 1 << 16
DEFLATED = 1032  # bytes that one of a deflated file unfolds to at most


class ArrayForm(NamedTuple):
    """The required ``dtype`` or kind, such as ``numpy.floating``, and number of dimensions (None: any) of an array."""

    dtype: type
    ndim: int | None = None


def read_arrays(
    path: StrPath, form: Mapping[str, ArrayForm] | ArrayForm, *, most: int = MOST_BYTES, remedy: Text | None = None
) -> dict[str, np.ndarray]:
    """The arrays of an ``.npz`` file: those with the names in ``form``, or all of one form.

    Any file gives arrays or one of the errors below; memory is bounded by ``most``.

    Args:
        path: the file; other arrays of the file are not read.
        form: of each array by its name, or of all.
        most: bytes of all arrays.
        remedy: what to do about a damaged file.

    Raises:
        XalignError: the file is missing or damaged, or an array is missing, of another type or too large.

    Example::

        read_arrays("counts.npz", {"de/accuracy": ArrayForm(np.int64, 2)})["de/accuracy"]
    """
    path = Path(path)
    if not path.is_file():
        raise XalignError("the file of arrays does not exist", where=path, found=nearly(path), remedy=remedy)
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(archive, form)
            if sum(each.file_size for each in members.values()) > most:
                raise ValueError(f"more than {most:,} bytes of arrays")
            return {name: _read(archive, each, _form_of(form, name), name) for name, each in members.items()}
    except Exception as error:  # bytes that are not archive, or no array, can fail in any way
        problem = "a file of arrays is damaged, or holds something else"
        raise XalignError(problem, where=path, found=str(error)[:200], remedy=remedy) from None


def write_arrays(path: StrPath, arrays: Mapping[str, np.ndarray]) -> None:
    """Write compressed arrays for :func:`read_arrays`; the file appears complete or not at all."""
    with atomic_write(path, "wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)


def _form_of(form: Mapping[str, ArrayForm] | ArrayForm, name: str) -> ArrayForm:
    return form if isinstance(form, ArrayForm) else form[name]


def _members(archive: zipfile.ZipFile, form: Mapping[str, ArrayForm] | ArrayForm) -> dict[str, zipfile.ZipInfo]:
    there = {each.filename.removesuffix(".npy"): each for each in archive.infolist()}
    names = list(there) if isinstance(form, ArrayForm) else list(form)
    if missing := [name for name in names if name not in there]:
        raise ValueError(f"there is no array {missing[0]}")
    if len(names) > MOST_ARRAYS:
        raise ValueError(f"{len(names):,} arrays")
    return {name: there[name] for name in names}


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, form: ArrayForm, name: str) -> np.ndarray:
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"array {name} is compressed by another method")
    if member.file_size > DEFLATED * (member.compress_size + 1):
        raise ValueError(f"array {name} is said to have {member.file_size:,} bytes")
    with archive.open(member) as stream:
        shape, fortran, dtype = _header(stream)
        if not np.issubdtype(dtype, form.dtype) or dtype.hasobject or form.ndim not in (None, len(shape)):
            found = f"array {name} is {dtype} of {len(shape)} dimensions"
            raise ValueError(f"{found}, not {form.dtype.__name__} of {form.ndim}")
        size = math.prod(shape) * dtype.itemsize
        if min(shape, default=0) < 0 or size > member.file_size:
            raise ValueError(f"array {name} is said to have shape {shape}")
        content = stream.read(size + 1)  # and its check sum with it
    if len(content) != size:
        raise ValueError(f"array {name} has not the size that its shape says")
    # A copy, which may be written.
    return np.frombuffer(bytearray(content), dtype).reshape(shape, order="F" if fortran else "C")


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(stream)
    if version == (1, 0):
        return np.lib.format.read_array_header_1_0(stream)
    if version == (2, 0):
        return np.lib.format.read_array_header_2_0(stream)
    raise ValueError(f"version {version} of an array")
