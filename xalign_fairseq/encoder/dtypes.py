"""An encoder that is only read, on its device and in its dtype (:func:`~xalign_fairseq.core.devices.choose_dtype`)."""

import torch

from xalign_fairseq.encoder.lookup import Lookup, look_up
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.transport.precision import dtype_name


def convert(encoder: Encoder, device: torch.device, dtype: str) -> None:
    """Bring an encoder that will only be read to a device and a dtype, in its place.

    Weights are converted once, but for token embeddings on the CPU: these stay as they are, mapped from their file as
    a rule, and the rows of a batch are converted when they are looked up.

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
    """The dtype that an encoder computes in, as :func:`convert` has it."""
    return dtype_name(next(encoder.sentence_encoder.parameters()).dtype)
