"""Count, on the CPU, how many kernels a GPU would run and how often the host would wait for it."""

import weakref
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves

aten = torch.ops.aten
READING = {aten._local_scalar_dense, aten.equal, aten.is_nonzero}
SHAPED_BY_VALUES = {
    aten.nonzero,
    aten.masked_select,
    aten.bincount,
    aten.repeat_interleave,
    aten.unique_dim,
    aten.unique_consecutive,
    aten._unique,
    aten._unique2,
}
ALLOCATING = {
    aten.empty,
    aten.empty_like,
    aten.empty_strided,
    aten.new_empty,
    aten.new_empty_strided,
    aten.detach,
    aten._unsafe_view,
    aten._reshape_alias,
    aten.lift_fresh,
    aten.resize_,
    aten.set_,
}


class Launches(TorchDispatchMode):
    """Counts operations within it; attention by lengths and the chunked head are more kernels here than on a GPU.

    Tensors made from the host's numbers or copied to the host belong to the host, and so do results of such tensors
    only: reading them is not a wait.

    Args:
        patch: its owner undoes it afterwards.

    Attributes:
        kernels: number of runs of each operation that makes or changes a tensor of the device.
        waits: how often each operation made the host wait.
    """

    def __init__(self, patch: pytest.MonkeyPatch):
        super().__init__()
        self.kernels: Counter[str] = Counter()
        self.waits: Counter[str] = Counter()
        self._of_host: weakref.WeakSet[Tensor] = weakref.WeakSet()
        for name in ("tolist", "cpu"):
            patch.setattr(Tensor, name, self._copying(name, getattr(Tensor, name)))

    def _copying(self, name: str, copy: Callable[[Tensor], Any]) -> Callable[[Tensor], Any]:
        def read(tensor: Tensor) -> Any:
            if not self._known(tensor):
                self.waits[name] += 1
            made = copy(tensor)
            if isinstance(made, Tensor):
                with _disable_current_modes():
                    made = made.clone() if made is tensor else made
                self._of_host.add(made)
            return made

        return read

    def _known(self, tensor: Tensor) -> bool:
        return any(each is tensor for each in self._of_host)

    def __torch_dispatch__(
        self, func: Any, _: object, args: tuple[object, ...] = (), kwargs: dict[str, object] | None = None
    ) -> Any:
        made, name = func(*args, **(kwargs or {})), func.overloadpacket
        read = [each for each in tree_leaves((args, kwargs)) if isinstance(each, Tensor)]
        written = [each for each in tree_leaves(made) if isinstance(each, Tensor)]
        if name == aten.lift_fresh or (read and all(map(self._known, read))):
            for each in written:
                self._of_host.add(each)
        elif name in READING | SHAPED_BY_VALUES:
            self.waits[str(name)] += 1
        elif (written or func._schema.is_mutable) and not func.is_view and name not in ALLOCATING:
            self.kernels[str(name).removeprefix("aten.")] += 1
        return made
