"""``--optimizer xalign_adamw``: what fairseq's trainer and its wrappers for half precision call."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, List  # noqa: UP035  (fairseq reads annotations by typing's names)

from fairseq.dataclass import FairseqDataclass
from fairseq.optim import FairseqOptimizer, register_optimizer
from fairseq.optim.adam import FairseqAdam
from omegaconf import II
from torch import Tensor

from xalign_fairseq.trainer.optim.adamw import FoldedAdamW


@dataclass
class XalignAdamWConfig(FairseqDataclass):
    """Options of ``--optimizer xalign_adamw``; the first three are spelled as fairseq's adam has them."""

    adam_betas: Any = field(default=(0.9, 0.999), metadata={"help": "decay rates of both moments"})
    adam_eps: float = field(default=1e-8, metadata={"help": "added to the root of the second moment"})
    weight_decay: float = field(
        default=0.0, metadata={"help": "decoupled weight decay, multiplied by the learning rate"}
    )
    adamw_kernel: str = field(
        default="torch",
        metadata={
            "help": "implementation of the step: torch (fused) or apex (NVIDIA, for float32 parameters on a GPU)"
        },
    )
    lr: List[float] = II("optimization.lr")  # noqa: RUF009, UP006


@register_optimizer("xalign_adamw", dataclass=XalignAdamWConfig)
class XalignAdamW(FairseqAdam):
    """fairseq's adam by :class:`~xalign_fairseq.trainer.optim.adamw.FoldedAdamW`: the same updates in one pass.

    The trainer multiplies the gradients by 1 / sample size, clips their norm and steps; the first two are kept for the
    third. So are those of FP16Optimizer and MemoryEfficientFP16Optimizer, which pass on their own factor.
    """

    optimizer: FoldedAdamW

    def __init__(self, cfg: Any, params: Any):
        FairseqOptimizer.__init__(self, cfg)
        self._optimizer = FoldedAdamW(params, kernel=cfg.adamw_kernel, **self.optimizer_config)

    def multiply_grads(self, c: float | Tensor) -> None:
        """Multiply the gradients by ``c``, when they are read."""
        self.optimizer.multiply(c)

    def clip_grad_norm(self, max_norm: float, aggregate_norm_fn: Callable[[Tensor], Tensor] | None = None) -> Tensor:
        """The gradients' norm, to which the step limits them if it is above ``max_norm`` > 0."""
        return self.optimizer.clip(max_norm, aggregate_norm_fn)

    def zero_grad(self) -> None:
        """Clear the gradients and their factor."""
        self.optimizer.zero_grad()


# fairseq resumes from a checkpoint of an optimizer class of this name: their states are equal.
XalignAdamW.__name__ = FairseqAdam.__name__
