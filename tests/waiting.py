"""Where the host would wait for a device, noticed on the CPU, where nothing waits."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

aten = torch.ops.aten
# Reading a value; shapes that hang on values; tensors made of values of the host, whose copy is waited for.
READING = {aten._local_scalar_dense, aten.equal, aten.is_nonzero}
SHAPED_BY_VALUES = {
    aten.nonzero, aten.masked_select, aten.bincount, aten.repeat_interleave, aten.unique_dim, aten.unique_consecutive,
    aten._unique, aten._unique2,
}  # fmt: skip
FROM_THE_HOST = {aten.lift_fresh, aten.lift_fresh_copy}
REFUSED = READING | SHAPED_BY_VALUES | FROM_THE_HOST


class NoWaiting(TorchDispatchMode):
    """Refuses what would wait on a device, backward passes included."""

    def __init__(self, patch):
        super().__init__()
        for name in ("tolist", "cpu", "numpy", "cuda"):  # on the CPU no operator runs for these

            def refuse(*_, name=name, **__):
                raise AssertionError(f"the host waits: Tensor.{name}")

            patch.setattr(torch.Tensor, name, refuse)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        indexing = func.overloadpacket in (aten.index, aten.index_put, aten.index_put_, aten._index_put_impl_)
        by_mask = indexing and any(i is not None and i.dtype in (torch.bool, torch.uint8) for i in args[1])
        if func.overloadpacket in REFUSED or by_mask:
            raise AssertionError(f"the host waits: {func}")
        return func(*args, **(kwargs or {}))
