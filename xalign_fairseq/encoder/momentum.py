"""The momentum encoder: moving averages of the encoder and of a projection."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.copies import EncoderCopy, ReadOnce, StaysFloat32, follow


class Projection(nn.Module):
    """z = W2 ReLU(W1 h), without biases (Wu & Dredze 2020, section 2.1; PPA, Pan et al. 2021, Eq. 2)."""

    def __init__(self, dim: int, projection_dim: int):
        super().__init__()
        self.inner = nn.Linear(dim, dim, bias=False)
        self.outer = nn.Linear(dim, projection_dim, bias=False)

    def forward(self, hidden: Tensor) -> Tensor:
        """hidden (B, H), any floating dtype -> (B, D) in that of the weights."""
        made: Tensor = self.outer(F.relu(self.inner(hidden.to(self.inner.weight.dtype))))
        return made


class MomentumEncoder(StaysFloat32, ReadOnce):
    """k <- m k + (1 - m) q for the weights of the encoder and of its projection (He et al. 2020, Eq. 2).

    No optimiser touches it, it is saved with the head that owns it, and it stays in float32 when the model is trained
    in half precision.

    Attributes:
        followed: number of the last update in which they moved, -1 before the first.

    Example::

        momentum_encoder = MomentumEncoder(config, projection_dim=300)
        momentum_encoder.follow(encoder.sentence_encoder, projection, update=step, momentum=0.999)
        keys = momentum_encoder.projection(momentum_encoder.encoder.layer(tokens)[:, 0])
    """

    followed: Tensor

    def __init__(self, config: EncoderConfig, projection_dim: int):
        super().__init__()
        self.encoder = EncoderCopy(config)
        self.projection = Projection(config.encoder_embed_dim, projection_dim).requires_grad_(False)
        self.register_buffer("followed", torch.full((), -1.0))

    @property
    def started(self) -> Tensor:
        """Whether there was a first update, on the device."""
        return self.encoder.started > 0

    def begins_anew(self, update: int) -> bool:
        """Whether a new run starts from the average of an earlier one."""
        return update == 0 and bool(self.encoder.number("started")) and self.number("followed") != update

    @torch.no_grad()
    def follow(self, live: nn.Module, projection: Projection, update: int, momentum: float) -> None:
        """Update the averages once per update; a run's first update copies the weights."""
        if self.number("followed") == update:
            return
        if update == 0 or not self.encoder.number("started"):
            self.encoder.start(live, update)
            momentum = 0.0
        else:
            self.encoder.follow(live, momentum)
        follow(self.projection, projection, momentum)
        self.put("followed", update)
