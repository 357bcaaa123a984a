"""``--fp16`` on a CPU.

Why: ``FP16Optimizer`` asks CUDA for the current device and uses it as the key of its flat float32 copy. The device
index of CPU gradients is None, so they never reach that copy, and training continues with zero gradients.
Touches: ``_FP16OptimizerMixin.build_fp32_params``, for CPU parameters only. The package's trainer handles an overflow.
Can go: when fairseq uses the parameters' own device.
"""

from typing import Any

import torch

from xalign_fairseq.trainer.compat.patching import Function, instead, swapped, wrapping


@instead
def _keyed_by_own_device(original: Function, cls: type, args: Any, params: Any, flatten: bool = True) -> Any:
    params = list(params)
    if any(parameter.device.type != "cpu" for parameter in params):
        return original(cls, args, params, flatten=flatten)
    with swapped(torch.cuda, "current_device", lambda: None):  # None is the index of the device "cpu"
        return original(cls, args, params, flatten=flatten)


UNIT = wrapping(
    "--fp16 on a CPU",
    "fairseq's fp16 optimizer asks for CUDA (the patch leaves GPU runs alone)",
    "fairseq.optim.fp16_optimizer:_FP16OptimizerMixin",
    "build_fp32_params",
    _keyed_by_own_device,
    has="torch.cuda.current_device()",
)
