"""``--cpu`` on a machine with a GPU clips gradients where they are.

Why: ``clip_grad_norm_`` adds up the norms of gradients on the GPU wherever there is one, and multiplies the gradients
by a number there, which torch refuses for gradients on the CPU: a run with ``--cpu`` ends at its first update.
Touches: ``fairseq.utils.clip_grad_norm_``, which sees no GPU while it clips gradients on the CPU.
Can go: when fairseq asks where the gradients are.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.trainer.compat.patching import replace, source_has, swapped

NAME = "--cpu beside a GPU"
WHY = "fairseq adds up the norms of gradients on the GPU even in --cpu runs (the patch leaves GPU runs alone)"


def needed() -> bool:
    """Whether fairseq still asks whether there is a GPU."""
    from fairseq import utils

    return source_has(utils.clip_grad_norm_, "torch.cuda.is_available()")


def install() -> None:
    """Hide the GPU from gradients on the CPU."""
    from fairseq import utils

    replace(utils, "clip_grad_norm_", NAME, _where_they_are)


def _where_they_are(original: Callable[..., Tensor]) -> Callable[..., Tensor]:
    @functools.wraps(original)
    def clip_grad_norm_(params: Tensor | Iterable[Tensor], *args: Any, **kwargs: Any) -> Tensor:
        params = [params] if isinstance(params, Tensor) else list(params)
        if any(p is not None and p.grad is not None and p.grad.device.type != "cpu" for p in params):
            return original(params, *args, **kwargs)
        with swapped(torch.cuda, "is_available", lambda: False):
            return original(params, *args, **kwargs)

    return clip_grad_norm_
