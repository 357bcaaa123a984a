"""The queue of keys of momentum contrast, and the hash by which it recognises sentences."""

import torch
from torch import Tensor, nn

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.data.inputs import polynomial
from xalign_fairseq.encoder.copies import StaysFloat32


def sentence_hash(tokens: Tensor, pad: int) -> Tensor:
    """Upper 48 bits of the polynomial sum_t (x_t + 1) B^(t + 1) modulo 2^64, whatever the padding.

    Two different sentences have the same hash with a probability of about 2^-48.

    Returns:
        (B, 2) float32, the upper and the lower 24 bits. Floats hold these exactly, and fairseq's moving average of a
        model, which goes over its buffers too, accepts no integers.

    Example::

        sentence_hash(torch.tensor([[0, 7, 2], [0, 7, 2]]), pad=1)   # two equal rows
    """
    total = polynomial(tokens, pad)
    return torch.stack([(total >> 40) & 0xFFFFFF, (total >> 16) & 0xFFFFFF], 1).float()


def same_sentence(first: Tensor, second: Tensor) -> Tensor:
    """(B, K) bool: which of B hashes (B, 2) equal which of K hashes (K, 2)."""
    return (first[:, None, 0] == second[:, 0]) & (first[:, None, 1] == second[:, 1])


class KeyQueue(StaysFloat32):
    """The last K keys and the hashes of their sentences (He et al. 2020, section 3.2), a ring buffer.

    It is part of a head, so it is saved with the model; it stays in float32 when the model is trained in half
    precision.

    Attributes:
        keys: (K, D), at least float32.
        sentences, translations: (K, 2) float, :func:`sentence_hash` of each key's sentence and of its translation.

    Example::

        queue = KeyQueue(size=32000, dim=300)
        queue.enqueue(keys, sentence_hash(tokens, pad=1), sentence_hash(translations, pad=1))
        queue.full        # tensor(False)
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
        """(B, K) bool: the keys of sentences with these hashes (B, 2), or of their translations."""
        return same_sentence(sentences, self.sentences) | same_sentence(sentences, self.translations)

    @torch.no_grad()
    def clear(self) -> None:
        """Forget all keys."""
        for buffer in self.buffers():
            buffer.zero_()

    @torch.no_grad()
    def fill_at_random(self, seed: int) -> None:
        """Fill every place with a random unit vector that belongs to no sentence; the same in all processes."""
        self.clear()
        drawn = torch.randn(self.keys.shape, generator=torch.Generator().manual_seed(seed), device="cpu")
        self.keys.copy_(nn.functional.normalize(drawn, dim=1))
        self.filled.fill_(len(self))

    @torch.no_grad()
    def enqueue(self, keys: Tensor, sentences: Tensor, translations: Tensor) -> None:
        """Put keys (N, D) with the hashes (N, 2) of their sentences and translations in the place of the N oldest.

        Raises:
            XalignError: N is larger than the queue.
        """
        size, new = len(self), len(keys)
        if new > size:
            raise XalignError(
                "the queue is smaller than a batch",
                parameter="moco_queue_size",
                found=f"a queue of {size} keys and a batch of {new} pairs over all workers",
                expected="a queue of several batches",
                remedy=("set", Parameter("moco_queue_size", 10 * new), "or a smaller", Parameter("batch_size")),
            )
        at = (self.pointer.long() + torch.arange(new, device=self.keys.device)) % size
        self.keys[at] = keys.to(self.keys)
        self.sentences[at] = sentences.to(self.sentences)
        self.translations[at] = translations.to(self.translations)
        self.pointer.copy_((self.pointer + new) % size)
        self.filled.copy_((self.filled + new).clamp(max=size))
