"""The one place where the encoder's attention is computed: softmax(q k^T / sqrt(d)) v within each sentence.

Sentences are packed (all tokens in one row without padding) or, if the host does not know their lengths, padded with a
mask.
"""

import ctypes
import functools
import logging
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.transport.sinkhorn import backend
from xalign_fairseq.transport.sinkhorn.building import library

logger = logging.getLogger(__name__)
_TOLD: set[str] = set()
CHOICES = 2**16  # values of the 16 random bits of one element


def dropout(x: Tensor, p: float, training: bool = True) -> Tensor:
    """y = x m / (1 - p), m = 0 with probability p, otherwise 1, independently for each element (Srivastava et al.
    2014).

    On a CPU p is rounded to a multiple of 1 / 65,536, also in the factor, so that the mean of y is x. The generator is
    torch's. On other devices and in compiled code this is :func:`torch.nn.functional.dropout`.
    """
    dropped = round(p * CHOICES)
    if not training or x.device.type != "cpu" or dropped in (0, CHOICES) or torch.compiler.is_compiling():
        return F.dropout(x, p, training)
    bits = torch.empty((x.numel() + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
    choices = bits.view(torch.int16)[: x.numel()].view(x.shape)
    kept = torch.ge(choices, dropped - CHOICES // 2, out=torch.empty(x.shape, dtype=x.dtype))
    return x * kept.mul_(CHOICES / (CHOICES - dropped))


SHORT = 128  # sentence length up to which float32 products are as fast as bfloat16 products
COMPILED = 256  # sentence length up to which the compiled attention is as fast as torch's
FLASH = 32  # sentence length from which torch's attention in float32 is faster than products, gradient included


@dataclass(frozen=True)
class Padded:
    """Sentences (B, T) with padding (B, T) bool, True at padding."""

    padding: Tensor

    def attend(self, q: Tensor, k: Tensor, v: Tensor, dropout: float) -> Tensor:
        """Each (B, T, heads, d) -> (B, T, heads, d)."""
        log_choice("padded with a mask, because only the device knows the sentence lengths")
        mask = ~self.padding[:, None, None, :]
        q, k, v = (part.transpose(1, 2) for part in (q, k, v))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=dropout).transpose(1, 2)


@dataclass(frozen=True)
class Offsets:
    """Sentences in one row of N tokens whose lengths only the device knows: one compiled program fits all batches."""

    offsets: Tensor  # (S + 1,) int32: where the sentences begin, and N; some may be empty
    longest: int  # no sentence is longer

    def attend(self, q: Tensor, k: Tensor, v: Tensor, dropout: float) -> Tensor:
        """Each (N, heads, d) -> (N, heads, d). A CPU uses a mask (N, N), which is slow and needs much memory."""
        if q.device.type == "cuda":
            return flash(q, k, v, self.offsets, self.longest)
        number = torch.bucketize(torch.arange(len(q)), self.offsets, right=True)
        q, k, v = (part.transpose(0, 1) for part in (q, k, v))
        mask = number[:, None] == number
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=dropout).transpose(0, 1)


@dataclass(frozen=True)
class Packed:
    """Sentences in one row of N tokens, the shortest first."""

    runs: tuple[tuple[int, int], ...]  # (number of sentences, their length) for each length, in order
    offsets: Tensor  # (S + 1,) int64, on the device: where the sentences begin, and N
    padding: float = 0.0  # share of padding before packing, for the log

    @functools.cached_property
    def longest(self) -> int:
        return max(length for _, length in self.runs)

    @classmethod
    def of(cls, lengths: np.ndarray, offsets: Tensor, padding: float = 0.0) -> "Packed":
        """From lengths (S,) on the host, ascending, without 0."""
        each, counts = np.unique(lengths, return_counts=True)
        return cls(tuple(zip(counts.tolist(), each.tolist(), strict=True)), offsets, padding)

    def on_device(self) -> "Offsets":
        """The same sentences as offsets on the device, with :attr:`longest` rounded up to a power of two."""
        return Offsets(self.offsets.int(), 1 << (self.longest - 1).bit_length())

    def attend(self, q: Tensor, k: Tensor, v: Tensor, dropout: float) -> Tensor:
        """Each (N, heads, d) -> (N, heads, d)."""
        if not self.runs:
            return v
        chosen = kernel(q, dropout)
        log_choice(f"packed ({chosen.__name__})", f"; in the first batch {self.padding:.0%} were padding")
        return chosen(self, q, k, v, dropout)


def kernel(q: Tensor, dropout: float) -> Callable[[Packed, Tensor, Tensor, Tensor, float], Tensor]:
    """The kernel of packed attention: :func:`by_length`, except on CUDA, where one launch per length would cost more.

    In inference mode on a CPU it is :func:`compiled`, which takes half the time for short sentences.
    On CUDA it is :func:`varlen`, flash attention, which supports neither float32 nor dropout of weights. For these, and
    if torch lacks flash attention, it is :func:`jagged`, where torch chooses the kernel. float64 uses
    :func:`by_length`, because :func:`jagged` would wait for the device.
    """
    if q.device.type != "cuda" or q.dtype == torch.float64:
        return compiled if compiles(q, dropout) else by_length
    return jagged if obstacle(q.device, q.dtype, dropout, q.shape[2]) else varlen


def obstacle(device: torch.device, dtype: torch.dtype, dropout: float, size: int) -> str:
    """The parameter that rules out :func:`varlen` for heads of a size; empty if it is available."""
    if device.type != "cuda":
        return "device"
    if dtype not in (torch.float16, torch.bfloat16):
        return "dtype"
    if dropout:
        return "attention_dropout"
    if size % 8:
        return "encoder_attention_heads"
    return "" if has_varlen(device) else "device"


def by_length(packed: Packed, q: Tensor, k: Tensor, v: Tensor, dropout: float) -> Tensor:
    """Sentences of one length are adjacent in the row and form a plain batch: no copy, no mask, no padding.

    There are at most sqrt(2 N) lengths.
    """
    sizes = [count * length for count, length in packed.runs]
    mixed = []
    for run, *parts in zip(packed.runs, q.split(sizes), k.split(sizes), v.split(sizes), strict=True):
        q, k, v = (part.unflatten(0, run).transpose(1, 2) for part in parts)
        out = plain_kernel(q, dropout)(q, k, v, dropout_p=dropout)
        mixed.append(out.transpose(1, 2).flatten(0, 1))
    return mixed[0] if len(mixed) == 1 else torch.cat(mixed)


class CompiledCall(ctypes.Structure):
    """``struct Attention`` of csrc/attention.h, field by field."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("q", "k", "v", "out")),
        *((name, ctypes.c_int64) for name in ("bfloat16", "heads", "size", "sentences")),
        ("offsets", ctypes.c_void_p),
        ("threads", ctypes.c_int64),
    )


def compiles(q: Tensor, dropout: float) -> bool:
    """Whether :func:`compiled` is used: in inference mode only, so that training and its labels don't change."""
    return (
        torch.is_inference_mode_enabled()
        and q.device.type == "cpu"
        and q.dtype in (torch.float32, torch.bfloat16)
        and not dropout
        and q.shape[2] % 16 == 0
        and backend.fault_of("cpu", None) is None
    )


def compiled(packed: Packed, q: Tensor, k: Tensor, v: Tensor, dropout: float) -> Tensor:
    """Sentences of up to :data:`COMPILED` tokens in one call of csrc/attention.h, which computes in float32.

    The others are left to :func:`by_length`: a sentence's result must not depend on the other sentences.
    """
    q, k, v = (part.contiguous() for part in (q, k, v))
    out = torch.empty_like(q)
    short = [run for run in packed.runs if run[1] <= COMPILED]
    if short:
        addresses = (part.data_ptr() for part in (q, k, v, out))
        sizes = (q.dtype == torch.bfloat16, *q.shape[1:], sum(count for count, _ in short))
        call = CompiledCall(*addresses, *sizes, packed.offsets.data_ptr(), torch.get_num_threads())
        if library("cpu").xalign_attention(ctypes.byref(call)):
            raise MemoryError
    if rest := packed.runs[len(short) :]:
        done = sum(count * length for count, length in short)
        out[done:] = by_length(Packed(rest, packed.offsets[:0]), q[done:], k[done:], v[done:], dropout)
    return out


def plain_kernel(q: Tensor, dropout: float) -> Callable[..., Tensor]:
    """The kernel for q (B, heads, T, d): torch's, except on a CPU with dropout or in bfloat16.

    On a CPU, torch needs more time for dropout's random numbers than for the products; in bfloat16 it computes
    gradients head by head.
    """
    if q.device.type != "cpu" or not (dropout or q.dtype == torch.bfloat16):
        return F.scaled_dot_product_attention
    short = q.shape[-2] < FLASH and q.requires_grad and torch.is_grad_enabled()
    return by_products if dropout or short else in_float32


def in_float32(q: Tensor, k: Tensor, v: Tensor, dropout_p: float) -> Tensor:
    """:func:`torch.nn.functional.scaled_dot_product_attention` in float32; the result has the dtype of q."""
    with torch.autocast(q.device.type, enabled=False):
        return F.scaled_dot_product_attention(q.float(), k.float(), v.float(), dropout_p=dropout_p).to(q.dtype)


def by_products(q: Tensor, k: Tensor, v: Tensor, dropout_p: float) -> Tensor:
    """:func:`torch.nn.functional.scaled_dot_product_attention` by two batched products, with all weights in memory.

    The softmax is in float32, where it is vectorised for any row length. Products of short sentences are in float32
    too, because oneDNN compiles bfloat16 products for every shape.
    """
    dtype, wide = q.dtype, torch.promote_types(q.dtype, torch.float32)
    inner = wide if q.shape[-2] <= SHORT else dtype
    with torch.autocast(q.device.type, enabled=False):  # it would turn float32 back into bfloat16
        q, k, v = (part.to(inner) for part in (q, k, v))
        scores = (q * q.shape[-1] ** -0.5) @ k.contiguous().transpose(-1, -2)
        weights = scores.softmax(-1, dtype=wide).to(inner)
        return (dropout(weights, dropout_p) @ v).to(dtype)


def varlen(packed: Packed, q: Tensor, k: Tensor, v: Tensor, dropout: float) -> Tensor:
    """All sentences in one call of flash attention (torch 2.10 and later, compute capability 8.0 and later)."""
    return flash(q, k, v, packed.offsets.int(), packed.longest)


def flash(q: Tensor, k: Tensor, v: Tensor, offsets: Tensor, longest: int) -> Tensor:
    """:func:`varlen` of sentences that begin at offsets (S + 1,) int32."""
    from torch.nn.attention.varlen import varlen_attn

    return varlen_attn(q, k, v, offsets, offsets, longest, longest)  # type: ignore[return-value]


def jagged(packed: Packed, q: Tensor, k: Tensor, v: Tensor, dropout: float) -> Tensor:
    """All sentences in one call, as nested tensors with lengths from the host, so that there is no synchronisation."""
    shortest = min(length for _, length in packed.runs)
    nested = functools.partial(torch.nested.nested_tensor_from_jagged, min_seqlen=shortest, max_seqlen=packed.longest)
    q, k, v = (nested(part, packed.offsets).transpose(1, 2) for part in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, dropout_p=dropout).transpose(1, 2).values()


@functools.cache
def has_varlen(device: torch.device) -> bool:
    """Whether flash attention of sentences in one row is available."""
    try:
        import torch.nn.attention.varlen
    except ImportError:
        return False
    return torch.version.cuda is not None and torch.cuda.get_device_capability(device) >= (8, 0)


def log_choice(how: str, first: str = "") -> None:
    """Log once how attention is computed, with a note about the first batch."""
    if how not in _TOLD:
        _TOLD.add(how)
        logger.info("attention: %s%s", how, first)
