"""Arrays in ``.npz`` files: names, types and sizes are checked before memory is allocated."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from xalign_fairseq.core.errors import Text, XalignError
from xalign_fairseq.core.files import StrPath, atomic_write, nearly

MOST_BYTES = 1 << 34  # limit for all arrays of a file
MOST_ARRAYS = 1 << 16
DEFLATED = 1032  # largest expansion of one deflated byte


class ArrayForm(NamedTuple):
    """An array's required ``dtype`` or kind, such as ``numpy.floating``, and number of dimensions (None: any)."""

    dtype: type
    ndim: int | None = None


def read_arrays(
    path: StrPath, form: Mapping[str, ArrayForm] | ArrayForm, *, remedy: Text | None = None
) -> dict[str, np.ndarray]:
    """The arrays of an ``.npz`` file: the names in ``form``, or all if it is one form."""
    path = Path(path)
    if not path.is_file():
        raise XalignError("the file of arrays does not exist", where=path, found=nearly(path), remedy=remedy)
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(archive, form)
            if sum(each.file_size for each in members.values()) > MOST_BYTES:
                raise ValueError(f"more than {MOST_BYTES:,} bytes of arrays")
            forms = dict.fromkeys(members, form) if isinstance(form, ArrayForm) else form
            return {name: _read(archive, each, forms[name]) for name, each in members.items()}
    except Exception as error:  # damaged archives and arrays can fail in any way
        raise XalignError("the file of arrays is damaged", where=path, found=str(error)[:200], remedy=remedy) from None


def write_arrays(path: StrPath, arrays: Mapping[str, np.ndarray]) -> None:
    """Write compressed arrays for :func:`read_arrays`; the file appears complete or not at all."""
    with atomic_write(path, "wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)


def _members(archive: zipfile.ZipFile, form: Mapping[str, ArrayForm] | ArrayForm) -> dict[str, zipfile.ZipInfo]:
    there = {each.filename.removesuffix(".npy"): each for each in archive.infolist()}
    names = list(there) if isinstance(form, ArrayForm) else list(form)
    if missing := [name for name in names if name not in there]:
        raise ValueError(f"there is no array {missing[0]}")
    if len(names) > MOST_ARRAYS:
        raise ValueError(f"{len(names):,} arrays")
    return {name: there[name] for name in names}


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, form: ArrayForm) -> np.ndarray:
    name = member.filename
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} is compressed by another method")
    if member.file_size > DEFLATED * (member.compress_size + 1):
        raise ValueError(f"{name} claims to have {member.file_size:,} bytes")
    with archive.open(member) as stream:
        content = io.BytesIO(stream.read())
    made: np.ndarray = np.lib.format.read_array(content, allow_pickle=False)
    if content.read(1):
        raise ValueError(f"{name} has more numbers than its shape allows")
    if not np.issubdtype(made.dtype, form.dtype) or form.ndim not in (None, made.ndim):
        wanted = form.dtype.__name__ + ("" if form.ndim is None else f" of {form.ndim}")
        raise ValueError(f"{name} is {made.dtype} of {made.ndim} dimensions, not {wanted}")
    return made
