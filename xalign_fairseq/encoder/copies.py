"""Copies of the sentence encoder that no optimiser changes: momentum encoders and pre-trained anchors."""

from collections.abc import Callable
from typing import Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.inputs import Input, as_input, polynomial
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.hidden_states import open_passes
from xalign_fairseq.encoder.transformer import make_body
from xalign_fairseq.transport.precision import at_least_float32, products_in


class StaysFloat32(nn.Module):
    """A module that follows its model's device, but stays in float32.

    In half precision, the steps of an average with momentum 0.999 would be rounded away.
    """

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        def kept(tensor: Tensor) -> Tensor:
            moved = fn(tensor)
            return tensor.to(moved.device) if moved.is_floating_point() and moved.dtype.itemsize < 4 else moved

        super()._apply(kept, recurse)  # type: ignore[no-untyped-call]
        return self


@torch.no_grad()
def follow(mine: nn.Module, live: nn.Module, momentum: float) -> None:
    """k <- m k + (1 - m) q for every parameter (He et al. 2020, Eq. 2)."""
    for own, theirs in zip(mine.parameters(), live.parameters(), strict=True):
        own.mul_(momentum).add_(theirs.to(own.dtype), alpha=1 - momentum)


class ReadOnce(nn.Module):
    """A module with buffers of one number each, which the host reads only once.

    Checkpoints store the buffers; :meth:`put` changes one. They are floats, because fairseq's moving average of a
    model, which includes buffers, accepts no integers.
    """

    def __init__(self) -> None:
        super().__init__()
        self._read: dict[str, float] = {}

    def number(self, name: str) -> float:
        """The number in a buffer, read from the device at the first request."""
        if name not in self._read:
            self._read[name] = float(getattr(self, name))
        return self._read[name]

    def put(self, name: str, value: float) -> None:
        """Change a buffer."""
        getattr(self, name).fill_(value)
        self._read[name] = float(value)

    def _load_from_state_dict(self, *args: object, **kwargs: object) -> None:
        super()._load_from_state_dict(*args, **kwargs)
        self._read.clear()


class EncoderCopy(StaysFloat32, ReadOnce):
    """Earlier weights of the sentence encoder, or their moving average; it is part of a head, so it is saved.

    It is empty until :meth:`start` in the first update, when the live encoder has its weights. A resumed run takes the
    copy from its checkpoint. A new run makes a new copy, even if its checkpoint has one of an earlier run. The copy
    stays in float32 when the model is trained in half precision.
    """

    started: Tensor

    def __init__(self, config: EncoderConfig):
        super().__init__()
        self.encoder = make_body(config).requires_grad_(False)
        self.register_buffer("started", torch.zeros(()))

    @torch.no_grad()
    def start(self, live: nn.Module, update: int) -> None:
        """Copy the live encoder's weights in a run's first update, or if there is no copy yet."""
        if update == 0 or not self.number("started"):
            follow(self.encoder, live, 0.0)
            self.put("started", 1)

    @torch.no_grad()
    def layer(self, given: Tensor | Input, layer: int = -1, dtype: torch.dtype = torch.float32) -> Tensor:
        """Hidden states (B, T, H) of a layer, in evaluation mode and without gradient.

        ``dtype``: the live encoder's dtype; half precision uses autocast. For a wider dtype, the copy computes like the
        live encoder, also inside an outer autocast.
        """
        with products_in(dtype, self.encoder.embed_tokens.weight.device):
            hidden = open_passes(self.encoder, [as_input(given)], grad=False)[0].layer(layer)
        return hidden.to(dtype) if dtype.itemsize < 4 else hidden

    def squared_distance(self, live: nn.Module) -> Tensor:
        """Sum over all parameters of (theta - theta_0)^2, with gradient to the live parameters; at least float32."""
        parts = [
            (at_least_float32(theirs) - mine).square().sum()
            for mine, theirs in zip(self.encoder.parameters(), live.parameters(), strict=True)
        ]
        return torch.stack(parts).sum()


class Projection(nn.Module):
    """z = W2 ReLU(W1 h), without biases (Wu & Dredze 2020, section 2.1; PPA, Pan et al. 2021, Eq. 2)."""

    def __init__(self, dim: int, projection_dim: int):
        super().__init__()
        self.inner = nn.Linear(dim, dim, bias=False)
        self.outer = nn.Linear(dim, projection_dim, bias=False)

    def forward(self, hidden: Tensor) -> Tensor:
        """hidden (B, H), any floating dtype -> (B, D) in the dtype of the weights."""
        made: Tensor = self.outer(F.relu(self.inner(hidden.to(self.inner.weight.dtype))))
        return made


class MomentumEncoder(StaysFloat32, ReadOnce):
    """k <- m k + (1 - m) q for the weights of the encoder and of its projection (He et al. 2020, Eq. 2).

    No optimiser changes it, its head saves it, and it stays in float32 when the model is trained in half precision.

    Attributes:
        followed: number of the last update that changed them, -1 before the first.
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

    def starts_again(self, update: int) -> bool:
        """Whether a new run starts from an earlier run's average."""
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
            follow(self.encoder.encoder, live, momentum)
        follow(self.projection, projection, momentum)
        self.put("followed", update)


def sentence_hash(tokens: Tensor) -> Tensor:
    """Upper 48 bits of the polynomial sum_t (x_t + 1) B^(t + 1) modulo 2^64, independent of padding.

    Two different sentences have the same hash with a probability of about 2^-48.

    Returns:
        (B, 2) float32, the upper and the lower 24 bits. Floats hold these exactly, and fairseq's moving average of a
        model, which goes over its buffers too, accepts no integers.
    """
    total = polynomial(tokens)
    return torch.stack([(total >> 40) & 0xFFFFFF, (total >> 16) & 0xFFFFFF], 1).float()


def same_sentence(first: Tensor, second: Tensor) -> Tensor:
    """(B, K) bool: whether each hash (B, 2) equals each hash (K, 2)."""
    return (first[:, None, 0] == second[:, 0]) & (first[:, None, 1] == second[:, 1])


class KeyQueue(StaysFloat32):
    """The last K keys and the hashes of their sentences (He et al. 2020, section 3.2), a ring buffer.

    It is part of a head, so the model saves it. It stays in float32 when the model is trained in half precision.

    Attributes:
        keys: (K, D), at least float32.
        sentences, translations: (K, 2) float, :func:`sentence_hash` of each key's sentence and of its translation.
    """

    keys: Tensor
    sentences: Tensor
    translations: Tensor
    pointer: Tensor
    filled: Tensor

    def __init__(self, size: int, dim: int):
        super().__init__()
        self.register_buffer("keys", torch.zeros(size, dim))
        self.register_buffer("sentences", torch.zeros(size, 2))
        self.register_buffer("translations", torch.zeros(size, 2))
        self.register_buffer("pointer", torch.zeros(()))
        self.register_buffer("filled", torch.zeros(()))

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def full(self) -> Tensor:
        """Whether every place holds a key, on the device."""
        return self.filled == len(self)

    def holds(self, sentences: Tensor) -> Tensor:
        """(B, K) bool: whether each key's sentence or its translation has each of the hashes (B, 2)."""
        return same_sentence(sentences, self.sentences) | same_sentence(sentences, self.translations)

    @torch.no_grad()
    def clear(self) -> None:
        """Forget all keys."""
        for buffer in self.buffers():
            buffer.zero_()

    @torch.no_grad()
    def fill_at_random(self, seed: int) -> None:
        """Fill the queue with random unit vectors that belong to no sentence, the same in all processes."""
        self.clear()
        drawn = torch.randn(self.keys.shape, generator=torch.Generator().manual_seed(seed), device="cpu")
        self.keys.copy_(nn.functional.normalize(drawn, dim=1))
        self.filled.fill_(len(self))

    @torch.no_grad()
    def enqueue(self, keys: Tensor, sentences: Tensor, translations: Tensor) -> None:
        """Replace the N oldest keys by keys (N, D) with hashes (N, 2); XalignError if N is larger than the queue.

        Non-finite keys become 0: the trainer skips their update, and they must not spoil later updates.
        """
        size, new = len(self), len(keys)
        if new > size:
            parameters, found = ("moco_queue_size", "batch_size"), f"{size} keys, {new} pairs over all workers"
            raise XalignError("the queue is smaller than a batch", parameter=parameters, found=found)
        at = (self.pointer.long() + torch.arange(new, device=self.keys.device)) % size
        self.keys[at] = keys.to(self.keys).nan_to_num(0.0, 0.0, 0.0)
        self.sentences[at] = sentences.to(self.sentences)
        self.translations[at] = translations.to(self.translations)
        self.pointer.copy_((self.pointer + new) % size)
        self.filled.copy_((self.filled + new).clamp(max=size))
