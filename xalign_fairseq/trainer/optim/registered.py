"""``--optimizer xalign_adamw``: the interface for fairseq's trainer and its half-precision wrappers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, List  # noqa: UP035  (fairseq reads annotations by typing's names)

import torch
from fairseq.dataclass import FairseqDataclass
from fairseq.optim import FairseqOptimizer, FP16Optimizer, register_optimizer
from fairseq.optim.adam import FairseqAdam
from omegaconf import II
from torch import Tensor

from xalign_fairseq.trainer.optim.adamw import FoldedAdamW


@dataclass
class XalignAdamWConfig(FairseqDataclass):
    """Options of ``--optimizer xalign_adamw``; the first three have the names of fairseq's adam."""

    adam_betas: Any = field(default=(0.9, 0.999), metadata={"help": "decay rates of both moments"})
    adam_eps: float = field(default=1e-8, metadata={"help": "added to the root of the second moment"})
    weight_decay: float = field(
        default=0.0, metadata={"help": "decoupled weight decay, multiplied by the learning rate"}
    )
    adamw_kernel: str = field(
        default="torch",
        metadata={"help": "operator of the step: torch (fused), or apex (NVIDIA, for float32 parameters on a GPU)"},
    )
    lr: List[float] = II("optimization.lr")  # noqa: RUF009, UP006


@register_optimizer("xalign_adamw", dataclass=XalignAdamWConfig)
class XalignAdamW(FairseqAdam):
    """fairseq's adam by :class:`~xalign_fairseq.trainer.optim.adamw.FoldedAdamW`: the same updates in one pass."""

    optimizer: FoldedAdamW

    def __init__(self, cfg: Any, params: Any):
        FairseqOptimizer.__init__(self, cfg)
        self._optimizer = FoldedAdamW(params, kernel=getattr(cfg, "adamw_kernel", "torch"), **self.optimizer_config)

    def multiply_grads(self, c: float | Tensor) -> None:
        """Multiply the gradients by ``c``, when they are read."""
        self.optimizer.multiply(c)

    def clip_grad_norm(self, max_norm: float, aggregate_norm_fn: Callable[[Tensor], Tensor] | None = None) -> Tensor:
        """The gradients' norm; if it exceeds ``max_norm`` > 0, the step scales them to ``max_norm``."""
        return self.optimizer.clip(max_norm, aggregate_norm_fn)

    def zero_grad(self) -> None:
        self.optimizer.zero_grad()


# fairseq resumes from a checkpoint of an optimizer class of this name: their states are equal.
XalignAdamW.__name__ = FairseqAdam.__name__


Aggregate = Callable[[Tensor], Tensor]


class HalfPrecision(FP16Optimizer):
    """fairseq's float32 copy of half-precision parameters, with bit-identical updates but fewer passes."""

    _needs_sync: bool
    _multiply_factor: float | Tensor

    def _sync_fp16_grads_to_fp32(self) -> None:
        if not self._needs_sync:
            return
        pairs = list(self._copies(of_gradients=True))
        there = [(copy, p.grad) for p, copy in pairs if p.grad is not None]
        if lacking := [copy for p, copy in pairs if p.grad is None]:
            torch._foreach_zero_(lacking)
        if there:
            torch._foreach_copy_([copy for copy, _ in there], [gradient for _, gradient in there])
        self._needs_sync = False

    @torch.no_grad()
    def _sync_fp32_params_to_fp16(self) -> None:
        pairs = list(self._copies(of_gradients=False))
        torch._foreach_copy_([p for p, _ in pairs], [copy for _, copy in pairs])

    def _copies(self, of_gradients: bool) -> Iterator[tuple[Tensor, Tensor]]:
        """Each trained parameter with its float32 copy or the copy's gradient, which may be part of a flat tensor."""
        if self.has_flat_params:
            for device, flat in self.fp32_params.items():
                mine = [p for p in self.fp16_params if p.device.index == device]
                parts = (flat.grad if of_gradients else flat.data).split([p.numel() for p in mine])
                yield from ((p, part.view_as(p)) for p, part in zip(mine, parts, strict=True) if p.requires_grad)
            return
        for p, copy in zip(self.fp16_params, self.fp32_params, strict=True):
            if of_gradients and copy.grad is None:
                copy.grad = torch.zeros_like(copy.data)
            if p.requires_grad:
                yield p, copy.grad if of_gradients else copy.data

    def zero_grad(self) -> None:
        """Clear the gradients; the next copy overwrites the float32 ones."""
        for p in self.fp16_params:
            p.grad = None
        self._needs_sync = True
        if self.scaler is not None:
            self._multiply_factor = 1.0 / float(self.scaler.loss_scale)

    def clip_grad_norm(self, max_norm: float, aggregate_norm_fn: Aggregate | None = None) -> Tensor:
        """As in fairseq's class, but the norm, which is read three times, moves to the host once."""
        if self.scaler is None:
            norm: Tensor = super().clip_grad_norm(max_norm, aggregate_norm_fn)
            return norm
        self._sync_fp16_grads_to_fp32()
        read: Tensor = (self._multiply_factor * self.fp32_optimizer.clip_grad_norm(0, aggregate_norm_fn)).cpu()
        if read > max_norm > 0.0:
            self._multiply_factor = self._multiply_factor * (max_norm / read)
        self.scaler.check_overflow(read)
        return read


# fairseq resumes from a checkpoint of an optimizer class of this name: their states are equal.
HalfPrecision.__name__ = FP16Optimizer.__name__
