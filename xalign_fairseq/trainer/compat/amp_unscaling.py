"""``--amp`` divides gradients by the loss scale once.

Why: ``AMPOptimizer`` lets torch's scaler unscale the gradients of torch's optimizer, and then steps fairseq's wrapper.
The scaler does not recognise the wrapper and unscales again. The gradients are too small by the loss scale, which
starts at 128 and doubles every 2,000 updates, so that Adam's eps finally outweighs them.
Touches: ``AMPOptimizer.step``: the scaler steps the optimizer whose gradients it has unscaled.
Can go: when fairseq steps what it has unscaled.
"""

import functools
from collections.abc import Callable
from typing import Any

from xalign_fairseq.trainer.compat.patching import replace, source_has

NAME = "--amp"
WHY = "fairseq's --amp divides gradients by the scale of the loss twice"


def needed() -> bool:
    """Whether the scaler still steps fairseq's wrapper."""
    from fairseq.optim.amp_optimizer import AMPOptimizer

    return source_has(AMPOptimizer.step, "self.scaler.step(self.fp32_optimizer)")


def install() -> None:
    """Step what was unscaled."""
    from fairseq.optim.amp_optimizer import AMPOptimizer

    replace(AMPOptimizer, "step", NAME, _once)


def _once(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def step(self: Any) -> None:
        self.scaler.step(self.optimizer)
        self.scaler.update()

    return step
