import pytest
import torch

from xalign_fairseq.transport.precision import at_least_float32, dtype_name, products_in

DTYPES = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])


@DTYPES
def test_narrow_values_become_float32_and_wide_ones_stay(dtype):
    values = torch.tensor([1.5, -2.0, 3.0], dtype=dtype)
    found = at_least_float32(values)
    assert found.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
    assert found.tolist() == [1.5, -2.0, 3.0] and (found is values) == (dtype.itemsize >= 4)
    assert dtype_name(dtype) in ("float16", "bfloat16", "float32", "float64")


@DTYPES
def test_products_are_in_half_precision_on_request(dtype):
    """A wider dtype keeps an outer autocast active."""
    wide = torch.float32 if dtype.itemsize < 4 else dtype
    a, b = torch.randn(3, 4, dtype=wide), torch.ones(4, 2, dtype=wide)
    with products_in(dtype, a.device):
        assert (a @ b).dtype == dtype
    with torch.autocast("cpu", torch.bfloat16), products_in(dtype, a.device):
        assert (a @ b).dtype == (torch.bfloat16 if dtype == torch.float32 else dtype)
