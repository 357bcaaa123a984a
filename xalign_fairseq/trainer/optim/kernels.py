"""AdamW's arithmetic on lists of tensors in one call: torch's fused operator, or NVIDIA apex's on request."""

import importlib
import importlib.util
import math
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from typing import Any, NamedTuple

import torch
from torch import Tensor

from xalign_fairseq.core.errors import Parameter, XalignError

APEX_CHUNK = 2048 * 32  # elements of a block of threads, as apex's own callers have it
DECOUPLED = 1  # apex's mode of weight decay


class Part(NamedTuple):
    """Tensors of one shape, type and device: values, their gradient, and the averages of it and of its square."""

    values: Tensor
    gradient: Tensor
    exp_avg: Tensor
    exp_avg_sq: Tensor


class Rule(NamedTuple):
    """The numbers of an update: its count from 1 on, AdamW's options, and what the gradients are multiplied by."""

    step: int
    lr: float
    betas: tuple[float, float]
    eps: float
    weight_decay: float
    factor: float | Tensor

    @property
    def eps_behind_correction(self) -> float:
        """The eps for an operator that adds it after the correction of the second moment.

        fairseq's adam adds it before: sqrt(v) + eps, as the last paragraph of Kingma & Ba's section 2 does.
        """
        return self.eps / math.sqrt(1 - self.betas[1] ** self.step)

    def factor_on(self, device: torch.device) -> Tensor:
        """The factor as a float32 number of a device, without waiting for it."""
        if isinstance(self.factor, Tensor):
            return self.factor.to(device=device, dtype=torch.float32, non_blocking=True)
        return torch.full((), self.factor, dtype=torch.float32, device=device)


Kernel = Callable[[list[Part], Rule], None]


def torch_kernel(parts: list[Part], rule: Rule) -> None:
    """One call of ``torch._fused_adamw_``, what torch.optim.AdamW(fused=True) calls; the gradients come out scaled."""
    values, gradients, exp_avgs, exp_avg_sqs = (list(tensors) for tensors in zip(*parts, strict=True))
    device = values[0].device
    step = torch.full((), rule.step, dtype=torch.float32, device=device)
    whole = isinstance(rule.factor, float) and rule.factor == 1
    torch._fused_adamw_(
        values,
        gradients,
        exp_avgs,
        exp_avg_sqs,
        [],  # no AMSGrad
        [step] * len(parts),
        lr=rule.lr,
        beta1=rule.betas[0],
        beta2=rule.betas[1],
        weight_decay=rule.weight_decay,
        eps=rule.eps_behind_correction,
        amsgrad=False,
        maximize=False,
        grad_scale=None if whole else rule.factor_on(device).reciprocal(),  # the operator divides
        found_inf=None,
    )


def apex_kernel(parts: list[Part], rule: Rule) -> None:
    """One call of apex's ``multi_tensor_adam_capturable`` on float32 tensors of a GPU. Not measured."""
    values, gradients, exp_avgs, exp_avg_sqs = (list(tensors) for tensors in zip(*parts, strict=True))
    on = {"device": values[0].device}
    importlib.import_module("amp_C").multi_tensor_adam_capturable(
        APEX_CHUNK,
        torch.zeros(1, dtype=torch.int32, **on),  # nothing has overflowed
        [gradients, values, exp_avgs, exp_avg_sqs],
        torch.full((1,), rule.lr, dtype=torch.float32, **on),
        *rule.betas,
        rule.eps_behind_correction,
        torch.full((1,), rule.step, dtype=torch.int32, **on),
        DECOUPLED,
        1,  # corrects the bias of both averages
        rule.weight_decay,
        rule.factor_on(on["device"]).view(1),
    )


def has_apex() -> bool:
    """Whether NVIDIA's apex is installed with its CUDA extension.

    That is the compiled module ``amp_C``, which is next to the package ``apex``. The package of that name on PyPI
    is another project, has no such module, and is not imported to find out.
    """
    found: Any = importlib.util.find_spec("amp_C")
    return found is not None and str(found.origin).endswith(tuple(EXTENSION_SUFFIXES))


def choose_kernel(name: str) -> Kernel:
    """The kernel of ``--adamw-kernel``.

    Raises:
        XalignError: there is none of that name, or apex is not installed.
    """
    if name == "torch":
        return torch_kernel
    if name != "apex":
        raise XalignError("there is no such kernel", parameter="adamw_kernel", found=name, expected="torch or apex")
    if not has_apex():
        raise XalignError(
            "NVIDIA's apex is not installed with its CUDA extension",
            parameter="adamw_kernel",
            found="no compiled module amp_C (the package apex on PyPI is another project)",
            remedy=(
                "build https://github.com/NVIDIA/apex with its CUDA extension, or set",
                Parameter("adamw_kernel", "torch"),
            ),
        )
    return apex_kernel
