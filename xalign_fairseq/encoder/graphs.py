"""Run layers as CUDA graphs: the host starts all kernels of a pass at once, with one graph per shape.

torch.compile records and replays the graphs (``mode="reduce-overhead"``). Here rows are padded to shapes that many
batches share (:meth:`xalign_fairseq.data.packing.Packing.filled`), and attention reads the lengths on the device.
"""

import functools
import logging
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.transport.ops.attention import Offsets, obstacle

COMPILATIONS = 64  # with and without gradient, for each range of layers that objectives read
logger = logging.getLogger(__name__)
_seen: set[tuple[int, ...]] = set()


def run(layers: Iterable[Any], x: Tensor, sentences: Offsets, training: bool) -> list[Tensor]:
    """The output (N, H) of each :class:`.transformer.EncoderLayer`; x (N, H) is the input of the first one."""
    layers = tuple(layers)
    shape = (len(layers), *x.shape, *sentences.offsets.shape, sentences.longest)
    if shape not in _seen:
        _seen.add(shape)
        logger.info("CUDA graphs: shape %d has %d layers and %d tokens", len(_seen), len(layers), len(x))
    return recorded()(layers, x, sentences.offsets, sentences.longest, training)


@functools.cache
def recorded() -> Callable[[tuple[Any, ...], Tensor, Tensor, int, bool], list[Tensor]]:
    """:func:`_layers`, compiled for any numbers of tokens and sentences; on a CPU without CUDA graphs."""
    torch._dynamo.config.recompile_limit = max(torch._dynamo.config.recompile_limit, COMPILATIONS)
    return torch.compile(_layers, mode="reduce-overhead", dynamic=True)


def _layers(layers: tuple[Any, ...], x: Tensor, offsets: Tensor, longest: int, training: bool) -> list[Tensor]:
    sentences, states = Offsets(offsets, longest), []
    for layer in layers:
        x = layer.run(x, sentences, training, None)
        states.append(x)
    return states


def begin(layers: nn.Module) -> None:
    """Allow replay of the graphs; call before each micro-batch.

    A replay overwrites earlier outputs and gradients of the graphs. Gradients of earlier micro-batches are copied.
    """
    kept = [(p, p.grad) for p in layers.parameters() if p.grad is not None]
    if kept:
        copies = torch._foreach_mul([grad for _, grad in kept], 1.0)
        for (p, _), copied in zip(kept, copies, strict=True):
            p.grad = copied
    torch.compiler.cudagraph_mark_step_begin()


def require(config: EncoderConfig, device: torch.device, dtype: torch.dtype) -> None:
    """Raise :class:`XalignError` if CUDA graphs do not support these layers, this device or this dtype."""
    size = config.encoder_embed_dim // config.encoder_attention_heads
    if parameter := obstacle(device, dtype, config.attention_dropout, size):
        found, expected = {
            "device": (str(device), "a GPU of compute capability 8.0 or later, and torch 2.10 or later"),
            "dtype": (str(dtype), "float16 or bfloat16"),
            "attention_dropout": (str(config.attention_dropout), "0"),
            "encoder_attention_heads": (f"heads of size {size}", "heads whose size is a multiple of 8"),
        }[parameter]
        problem = "the encoder cannot run as CUDA graphs"
        raise XalignError(problem, parameter=("cuda_graphs", parameter), found=found, expected=expected)
