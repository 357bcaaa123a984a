"""How many kernels a GPU would run, and how often the host would wait for it, counted on the CPU."""

import weakref
from collections import Counter

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from support.gpu_device import READING, SHAPED_BY_VALUES, aten

ALLOCATING = {
    aten.empty, aten.empty_like, aten.empty_strided, aten.new_empty, aten.new_empty_strided, aten.detach,
    aten._unsafe_view, aten._reshape_alias, aten.lift_fresh, aten.resize_, aten.set_,
}  # fmt: skip


class Launches(TorchDispatchMode):
    """Counts what runs within it; attention by lengths and the head in chunks are more kernels here than on a GPU.

    A tensor that is made of the host's numbers, or was copied to the host, is the host's, and so is what follows from
    such tensors alone: to look at it is no wait.

    Attributes:
        kernels: how often each operation ran that makes or changes a tensor of the device.
        waits: how often each one made the host wait.
    """

    def __init__(self, patch):
        super().__init__()
        self.kernels, self.waits = Counter(), Counter()
        self._of_host = weakref.WeakSet()
        for name in ("tolist", "cpu"):
            patch.setattr(Tensor, name, self._copying(name, getattr(Tensor, name)))

    def _copying(self, name, copy):
        def read(tensor):
            if not self._known(tensor):
                self.waits[name] += 1
            made = copy(tensor)
            if isinstance(made, Tensor):
                made = made.clone() if made is tensor else made
                self._keep(made)
            return made

        return read

    def _known(self, tensor):
        return any(each is tensor for each in self._of_host)

    def _keep(self, tensor):
        self._of_host.add(tensor)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made, name = func(*args, **(kwargs or {})), func.overloadpacket
        read = [each for each in tree_leaves((args, kwargs)) if isinstance(each, Tensor)]
        written = [each for each in tree_leaves(made) if isinstance(each, Tensor)]
        if name == aten.lift_fresh or (read and all(map(self._known, read))):
            for each in written:
                self._keep(each)
        elif name in READING | SHAPED_BY_VALUES:
            self.waits[str(name)] += 1
        elif (written or func._schema.is_mutable) and not func.is_view and name not in ALLOCATING:
            self.kernels[str(name).removeprefix("aten.")] += 1
        return made
