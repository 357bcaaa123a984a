"""The dtype of computations: sums in float32 at least, and products in half precision on request."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor


def at_least_float32(values: Tensor) -> Tensor:
    """The values in float32 if their dtype is narrower, unchanged otherwise.

    In half precision sums overflow, or lose the last terms.
    """
    return values.to(torch.promote_types(values.dtype, torch.float32))


def products_in(dtype: torch.dtype, device: torch.device) -> AbstractContextManager[Any]:
    """Autocast to a half precision; a wider dtype changes nothing, so an outer autocast stays active."""
    return torch.autocast(device.type, dtype) if dtype.itemsize < 4 else nullcontext()


def dtype_name(dtype: torch.dtype) -> str:
    """The name of a dtype: ``float32`` for ``torch.float32``."""
    return str(dtype).removeprefix("torch.")
