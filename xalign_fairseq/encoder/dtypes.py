"""An encoder without training, on its device and in its dtype (:func:`~xalign_fairseq.core.devices.choose_dtype`)."""

import torch

from xalign_fairseq.encoder.lookup import Lookup, look_up
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.transport.precision import dtype_name


def convert(encoder: Encoder, device: torch.device, dtype: str) -> None:
    """Move an encoder that is not trained to a device and a dtype, in place.

    Weights are converted once, except token embeddings on the CPU: these usually stay mapped from their file, and the
    rows of a batch are converted when they are looked up.

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


def dtype_of(encoder: Encoder) -> str:
    """The dtype that an encoder computes in, as set by :func:`convert`."""
    return dtype_name(next(encoder.sentence_encoder.parameters()).dtype)
