"""``--amp`` divides gradients by the loss scale once.

Why: ``AMPOptimizer`` lets torch's scaler unscale the gradients of torch's optimizer, and then steps fairseq's wrapper.
The scaler does not recognise the wrapper and unscales again. So gradients are too small by the loss scale, which starts
at 128 and doubles every 2,000 updates; finally they are small compared with Adam's eps.
Touches: ``AMPOptimizer.step``: the scaler steps the optimizer whose gradients it has unscaled.
Can go: when fairseq steps what it has unscaled.
"""

from typing import Any

from xalign_fairseq.trainer.compat.patching import instead, wrapping


@instead
def _once(original: object, self: Any) -> None:
    self.scaler.step(self.optimizer)
    self.scaler.update()


UNIT = wrapping(
    "--amp",
    "fairseq's --amp divides gradients by the scale of the loss twice",
    "fairseq.optim.amp_optimizer:AMPOptimizer",
    "step",
    _once,
    has="self.scaler.step(self.fp32_optimizer)",
)
