"""Arrays in ``.npz`` files, with checks of their names, types and numbers of dimensions."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from xalign_fairseq.core.errors import Text, XalignError
from xalign_fairseq.core.files import StrPath, atomic_write, nearly


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
        with np.load(path, allow_pickle=False) as archive:
            forms = dict.fromkeys(archive.files, form) if isinstance(form, ArrayForm) else form
            if missing := [name for name in forms if name not in archive.files]:
                raise ValueError(f"there is no array {missing[0]}")
            return {name: _read(archive, name, each) for name, each in forms.items()}
    except Exception as error:  # damaged archives and arrays can fail in any way
        raise XalignError("the file of arrays is damaged", where=path, found=str(error)[:200], remedy=remedy) from None


def write_arrays(path: StrPath, arrays: Mapping[str, np.ndarray]) -> None:
    """Write compressed arrays for :func:`read_arrays`; the file appears complete or not at all."""
    with atomic_write(path, "wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)


def _read(archive: np.lib.npyio.NpzFile, name: str, form: ArrayForm) -> np.ndarray:
    made: np.ndarray = archive[name]
    if not np.issubdtype(made.dtype, form.dtype) or form.ndim not in (None, made.ndim):
        wanted = form.dtype.__name__ + ("" if form.ndim is None else f" of {form.ndim}")
        raise ValueError(f"{name} is {made.dtype} of {made.ndim} dimensions, not {wanted}")
    return made
