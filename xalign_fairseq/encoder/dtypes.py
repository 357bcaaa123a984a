"""In which dtype an encoder that is only read computes, and such an encoder in it."""

import logging
from collections.abc import Sequence

import torch

from xalign_fairseq.core.devices import fast_bfloat16
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.int8 import Int8Linear, require_int8, to_int8
from xalign_fairseq.encoder.lookup import Lookup, look_up
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.transport.precision import dtype_name

logger = logging.getLogger(__name__)

DTYPES = ("auto", "float32", "bfloat16", "int8")


def choose_dtype(name: str, devices: Sequence[torch.device]) -> str:
    """The dtype of an option: ``auto`` is bfloat16 where all devices multiply it by themselves, else float32.

    It is never int8, which changes a few links in a thousand more than bfloat16 does.

    Raises:
        XalignError: no name of a dtype, or a device has no products in it.
    """
    if name not in DTYPES:
        raise XalignError("there is no such dtype", parameter="dtype", found=name, expected=" or ".join(DTYPES))
    for device in devices if name == "int8" else ():
        require_int8(device)
    if name != "auto":
        return name
    if not all(map(fast_bfloat16, devices)):
        return "float32"
    logger.info("the encoder computes in bfloat16, which is fast here (float32: --dtype float32)")
    return "bfloat16"


def convert(encoder: Encoder, device: torch.device, dtype: str) -> None:
    """Bring an encoder that will only be read to a device and a dtype, in its place.

    Weights are converted once, but for token embeddings on the CPU: these stay as they are, mapped from their file as
    a rule, and the rows of a batch are converted when they are looked up.

    Args:
        dtype: ``float32``; ``bfloat16``: weights and states; ``int8``: half of the layers'
            products (:mod:`~xalign_fairseq.encoder.int8`), and float32 states.

    Example::

        convert(encoder, device, choose_dtype("auto", [device]))
    """
    states = torch.bfloat16 if dtype == "bfloat16" else torch.float32
    table = encoder.sentence_encoder.embed_tokens
    if isinstance(table, Lookup):
        look_up(encoder, table.table.to(device), states)
    elif device.type == "cpu" and states != table.weight.dtype:
        look_up(encoder, table.weight, states)
    encoder.to(device, states)
    if dtype == "int8":
        to_int8(encoder)


def dtype_of(encoder: Encoder) -> str:
    """The dtype that an encoder computes in, as :func:`convert` has it."""
    if any(isinstance(module, Int8Linear) for module in encoder.sentence_encoder.layers.modules()):
        return "int8"
    return dtype_name(next(encoder.sentence_encoder.parameters()).dtype)
