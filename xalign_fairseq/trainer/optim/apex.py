"""AdamW's step by NVIDIA's apex, on request: ``multi_tensor_adam_capturable`` of its compiled module ``amp_C``."""

import importlib
import importlib.util
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES

import torch
from torch import Tensor

from xalign_fairseq.core.errors import Parameter, XalignError

CHUNK = 2048 * 32  # elements of a block of threads, as in apex's own optimizers
DECOUPLED = 1  # apex's mode of weight decay


def require_apex() -> None:
    """Raise :class:`XalignError` without apex and its CUDA extension, which PyPI's ``apex``, another project, lacks."""
    found = importlib.util.find_spec("amp_C")
    if found is None or not str(found.origin).endswith(tuple(EXTENSION_SUFFIXES)):
        problem = "NVIDIA's apex (not PyPI's) is not installed with its CUDA extension"
        remedy = ("build https://github.com/NVIDIA/apex, or", Parameter("adamw_kernel", "torch"))
        raise XalignError(problem, parameter="adamw_kernel", remedy=remedy)


def apex_step(
    tensors: Sequence[list[Tensor]],
    step: int,
    lr: float,
    betas: tuple[float, float],
    eps: float,
    weight_decay: float,
    factor: float | Tensor,
) -> None:
    """An in-place update of float32 gradients, values and moments on a GPU; eps is added after the bias correction."""
    like = tensors[0][0]
    scale = torch.as_tensor(factor, dtype=torch.float32).to(like.device, non_blocking=True).view(1)
    importlib.import_module("amp_C").multi_tensor_adam_capturable(
        CHUNK,
        torch.zeros(1, dtype=torch.int32, device=like.device),  # overflow flag, never set
        list(tensors),
        torch.full((1,), lr, dtype=torch.float32, device=like.device),
        *betas,
        eps,
        torch.full((1,), step, dtype=torch.int32, device=like.device),
        DECOUPLED,
        1,  # correct the bias of both averages
        weight_decay,
        scale,
    )
