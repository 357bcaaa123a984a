"""``--cpu`` clips gradients on the CPU, also on a machine with a GPU.

Why: ``clip_grad_norm_`` sums the norms on the GPU if there is one. torch refuses to multiply gradients on the CPU by
a number on the GPU, so a run with ``--cpu`` ends at its first update.
Touches: ``fairseq.utils.clip_grad_norm_``, which sees no GPU while it clips gradients on the CPU.
Can go: when fairseq uses the device of the gradients.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.trainer.compat.patching import Function, instead, swapped, wrapping


@instead
def _where_they_are(original: Function, params: Tensor | Iterable[Tensor], *args: object, **kwargs: object) -> Any:
    params = [params] if isinstance(params, Tensor) else list(params)
    if any(p is not None and p.grad is not None and p.grad.device.type != "cpu" for p in params):
        return original(params, *args, **kwargs)
    with swapped(torch.cuda, "is_available", lambda: False):
        return original(params, *args, **kwargs)


UNIT = wrapping(
    "--cpu with a GPU",
    "fairseq sums the norms of gradients on the GPU even in --cpu runs (the patch leaves GPU runs alone)",
    "fairseq.utils",
    "clip_grad_norm_",
    _where_they_are,
    has="torch.cuda.is_available()",
)
