"""Dtypes that sums are computed in."""

import pytest
import torch

from xalign_fairseq.transport.precision import at_least_float32


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_narrow_values_become_float32_and_wide_ones_stay(dtype):
    values = torch.tensor([1.5, -2.0, 3.0], dtype=dtype).requires_grad_()
    found = at_least_float32(values)
    assert found.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
    assert found.tolist() == [1.5, -2.0, 3.0]
    assert (found is values) == (dtype in (torch.float32, torch.float64))
    found.sum().backward()
    assert values.grad.dtype == dtype and values.grad.tolist() == [1.0, 1.0, 1.0]
