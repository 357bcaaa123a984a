"""The optimizer of a run: its class, and the kernel of its updates."""

from fairseq.optim import FairseqOptimizer
from torch.optim import Optimizer

from xalign_fairseq.trainer.optim.adamw import FoldedAdamW

# fairseq uses one of the first two for --optimizer adam if it finds NVIDIA's apex and a GPU.
KERNELS = {
    "fairseq.optim.fused_adam.FusedAdamV1": "apex (fused_adam_cuda)",
    "fairseq.optim.fused_adam.FusedAdamV2": "apex (multi_tensor_adam)",
    "fairseq.optim.adam.Adam": "none (fairseq's own, tensor by tensor)",
}


def which_optimizer(optimizer: FairseqOptimizer | Optimizer) -> str:
    """The optimizer that computes the updates, within fairseq's wrappers for half precision, and its kernel.

    Example::

        which_optimizer(trainer.optimizer)  # "fairseq.optim.fused_adam.FusedAdamV2, kernel: apex (multi_tensor_adam)"
    """
    inner: object = optimizer
    while isinstance(inner, FairseqOptimizer) and hasattr(inner, "optimizer"):
        inner = inner.optimizer
    name = f"{type(inner).__module__}.{type(inner).__qualname__}"
    kernel = KERNELS.get(name)
    if isinstance(inner, FoldedAdamW):
        kernel = f"{inner.kernel} (fused)" if inner.kernel == "torch" else inner.kernel
    elif kernel is None and isinstance(inner, Optimizer):
        kernel = "torch (fused)" if inner.defaults.get("fused") else "not known"
    return f"{name}, kernel: {kernel or 'not known'}"
