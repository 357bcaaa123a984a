"""For new heads on a trained encoder: freeze the encoder at first; a separate learning rate for heads."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError, check_values


class HeadsStart:
    """``--freeze-encoder-updates`` and ``--heads-lr``, for any optimizer that updates the model's parameters.

    In the first updates the encoder's parameters have no gradient, so the optimizer does not change, decay or clip them
    or update their moments. A head's step is multiplied by ``heads_lr / lr``. For optimizers whose step is proportional
    to the learning rate (SGD, AdamW, weight decay included), this equals a separate rate. Checkpoints do not change.
    """

    def __init__(self, cfg: Any):
        rate = 1.0 if cfg.heads_lr is None else cfg.lr[0]
        check_values(
            "an option of new heads is out of range",
            ("freeze_encoder_updates", cfg.freeze_encoder_updates, cfg.freeze_encoder_updates >= 0, "0 or more"),
            ("heads_lr", cfg.heads_lr, cfg.heads_lr is None or cfg.heads_lr > 0, "a number above 0"),
            ("lr", rate, rate > 0, "a number above 0, because the rate of heads is relative to it"),
        )
        self.updates = cfg.freeze_encoder_updates
        self.ratio = 1.0 if cfg.heads_lr is None else cfg.heads_lr / rate
        if not self.updates and self.ratio == 1:
            return
        copies = (cfg.fp16 or cfg.bf16) and not (cfg.memory_efficient_fp16 or cfg.memory_efficient_bf16)
        sharded = cfg.ddp_backend in ("fully_sharded", "slowmo")
        if copies or sharded:
            problem = "the optimizer updates a copy of the parameters that does not separate heads from the encoder"
            parameters = ("heads_lr", "freeze_encoder_updates", "ddp_backend" if sharded else "fp16")
            expected = "float32, autocast, memory_efficient_fp16 or memory_efficient_bf16"
            raise XalignError(problem, parameter=parameters, expected=expected)

    def hold(self, model: Any, update: int) -> None:
        """Remove the gradients of a frozen encoder; ``update``: the number of updates before this one."""
        if update < self.updates:
            for parameter in model.encoder.sentence_encoder.parameters():  # with the tied embeddings
                parameter.grad = None

    @contextmanager
    def step(self, model: Any, update: int) -> Iterator[None]:
        """Run the optimizer's step inside this block; arguments as in :meth:`hold`."""
        self.hold(model, update)  # legacy_ddp turns missing gradients into zeros
        with stretched([each for each in model.heads.parameters() if each.requires_grad], self.ratio):
            yield


@contextmanager
def stretched(parameters: Sequence[Tensor], ratio: float) -> Iterator[None]:
    """Multiply the block's changes of parameters by ``ratio``; in half precision a small step would be rounded."""
    if ratio == 1:
        yield
        return
    kinds = [each.dtype for each in parameters]
    _convert(parameters, [torch.promote_types(kind, torch.float32) for kind in kinds])
    before = [each.detach().clone() for each in parameters]
    try:
        yield
        with torch.no_grad():
            for old, new in zip(before, parameters, strict=True):
                new.copy_(old + (new - old) * ratio)
    finally:
        _convert(parameters, kinds)


def _convert(parameters: Sequence[Tensor], kinds: Sequence[torch.dtype]) -> None:
    """Change the precision of parameters and of their gradients in place."""
    for each, kind in zip(parameters, kinds, strict=True):
        if each.dtype != kind:
            grad, each.grad = each.grad, None
            each.data = each.data.to(kind)
            each.grad = None if grad is None else grad.to(kind)
